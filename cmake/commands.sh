# SPDX-License-Identifier: BSL-1.0
# shellcheck shell=bash
# What examples/run, tests/run and .ci/run share: the packages of Debian 12 and the way to a build.
#
# Taken from the environment:
#   CXX          the compiler                            g++
#   BUILD_TYPE   or CMAKE_BUILD_TYPE: Release, Debug ... Release
#   SANITIZE     1: AddressSanitizer and UndefinedBehaviorSanitizer
#   JOBS         compilers at a time                     one per core, and no more than memory has room for

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
compiler=${CXX:-g++}
build_type=${BUILD_TYPE:-${CMAKE_BUILD_TYPE:-Release}}
sanitizers=""
[ "${SANITIZE:-0}" = 0 ] || sanitizers=address,undefined

# One folder per way to build, so that none disturbs another: build/g++-release,
# build/clang++-debug-sanitize ...
build=${compiler##*/}-${build_type,,}${sanitizers:+-sanitize}
build=$root/build/${build//[^[:alnum:].+-]/_}

packages=(cmake ninja-build python3
    libboost-dev libxtensor-dev libxtensor-blas-dev libxsimd-dev libopenblas-dev nlohmann-json3-dev zlib1g-dev # the headers
    libcli11-dev doctest-dev xz-utils) # examples, tests
case $compiler in
g++) packages+=(g++) ;;
clang++) packages+=(g++ clang libclang-rt-dev) ;; # with the standard library of g++, and the sanitizers' own
esac

say() { printf '== %s\n' "$*"; }

give_up() {
    printf '%s\n' "$*" >&2
    exit 1
}

is_installed() { [ "$(dpkg-query --show --showformat='${db:Status-Status}' "$1" 2>/dev/null)" = installed ]; }

install_packages() {
    if ! command -v apt-get >/dev/null || ! command -v dpkg-query >/dev/null; then
        say "This is not Debian, so nothing is installed. These have to be there, by the names Debian gives them:" \
            "${packages[*]}"
        return
    fi
    local missing=() package
    for package in "${packages[@]}"; do
        is_installed "$package" || missing+=("$package")
    done
    if [ ${#missing[@]} = 0 ]; then
        say "Every package is already installed."
        return
    fi
    local as_root=()
    if [ "$(id -u)" != 0 ]; then
        command -v sudo >/dev/null ||
            give_up "To install is for root, and there is no sudo. As root: apt-get install ${missing[*]}"
        as_root=(sudo)
    fi
    say "To be installed, with what they need: ${missing[*]}"
    local apt=("${as_root[@]}" env DEBIAN_FRONTEND=noninteractive LC_ALL=C apt-get --quiet)
    "${apt[@]}" update
    say_download "${missing[@]}"
    "${apt[@]}" install --yes --no-install-recommends "${missing[@]}"
}

# nproc heeds OMP_NUM_THREADS, which a caller sets for libraries.
cores() { env -u OMP_NUM_THREADS nproc; }

# What packages take, in apt's words: "Need to get 52.1 MB of archives. ..."; nothing where it does not say.
say_download() {
    local words
    words=$(LC_ALL=C apt-get --assume-no --no-install-recommends -o Debug::NoLocking=true install "$@" 2>/dev/null |
        sed -n 's/^\(Need to get .*\|After this operation, .*\)$/\1/p' | tr '\n' ' ') || true
    [ -z "$words" ] || say "$words"
}

# Whether standard output is a terminal that can go back to the start of its line.
draws_bars() { [ -t 1 ] && [ "${TERM:-dumb}" != dumb ]; }

# What ninja says ("[7/52] Building ..."), from standard input: on a terminal its steps are one line with a
# bar that is redrawn, elsewhere a plain line every ten seconds; all else, such as errors, is passed on. An
# argument LOG is a file that gets everything, and then nothing but the steps is shown.
show_steps() {
    local log=${1:-} line start=$SECONDS next=$((SECONDS + 10)) steps='^\[([0-9]+)/([0-9]+)\] ' drawn=""
    local made all left bar rest columns
    { columns=$(stty size <&3 2>/dev/null) || columns="24 80"; } 3>&1
    columns=${columns#* }
    while IFS= read -r line; do
        [ -z "$log" ] || printf '%s\n' "$line" >>"$log"
        if ! [[ $line =~ $steps ]]; then
            [ -z "$log" ] || continue
            [ -z "$drawn" ] || printf '\r%*s\r' ${#drawn} ''
            drawn=""
            printf '%s\n' "$line"
            continue
        fi
        made=${BASH_REMATCH[1]} all=${BASH_REMATCH[2]}
        left=$(((SECONDS - start) * (all - made) / (made > 0 ? made : 1)))
        printf -v left '%d:%02d left' $((left / 60)) $((left % 60))
        if draws_bars; then
            printf -v bar '%*s' $((20 * made / all)) ''
            printf -v rest '%*s' $((20 - 20 * made / all)) ''
            printf -v bar '[%s%s] %3d%%  %s  %s' "${bar// /#}" "${rest// /.}" $((100 * made / all)) "$left" "${line#* }"
            bar=${bar:0:columns > 1 ? columns - 1 : 79}
            printf '\r%-*s' ${#drawn} "$bar"
            drawn=$bar
        elif [ $SECONDS -ge $next ]; then
            next=$((SECONDS + 10))
            printf '%3d%%  %s  %s\n' $((100 * made / all)) "$left" "${line#* }"
        fi
    done
    [ -z "$drawn" ] || printf '\r%*s\r' ${#drawn} ''
}

jobs() {
    local cores gigabytes
    cores=$(cores)
    gigabytes=$(awk '/^MemAvailable:/ { print int($2 / 1048576) }' /proc/meminfo 2>/dev/null)
    gigabytes=${gigabytes:-$cores}
    # Tests that are compiled as one take a compiler 5 gigabytes.
    local room=$((gigabytes > 5 ? gigabytes / 5 : 1))
    echo "${JOBS:-$((cores < room ? cores : room))}"
}

# configure PART [OPTION ...]: `tests`, of which none is then left out unseen, or `examples`; options of
# CMake.
configure() {
    local tests=AUTO
    [ "$1" != tests ] || tests=ON
    say "Configuring $build ($compiler, $build_type${sanitizers:+, sanitizers: $sanitizers})"
    cmake -S "$root" -B "$build" -G Ninja -DCMAKE_CXX_COMPILER="$compiler" -DCMAKE_BUILD_TYPE="$build_type" \
        -DSLUICE_SANITIZE="$sanitizers" -DSLUICE_EXAMPLES=ON -DSLUICE_TESTS="$tests" "${@:2}"
}

# build_targets [TARGET ...]: nothing where none is given. Where `build_until` is a time, in seconds since 1970, it ends
# then, with status 124.
build_targets() {
    [ $# -gt 0 ] || return 0
    say "Building $*"
    local goes_on=()
    [ "${CI:-false}" != true ] || goes_on=(-- -k 0) # says all that does not compile
    local words=(cmake --build "$build" --parallel "$(jobs)" --target "$@" "${goes_on[@]}")
    if [ -n "${build_until:-}" ]; then
        local left=$((build_until - $(date +%s)))
        [ $left -gt 0 ] || return 124
        words=(timeout "$left" "${words[@]}")
    fi
    if draws_bars; then
        NINJA_STATUS='[%f/%t] ' "${words[@]}" 2>&1 | show_steps
    else
        "${words[@]}"
    fi
}
