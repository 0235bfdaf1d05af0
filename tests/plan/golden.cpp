// SPDX-License-Identifier: BSL-1.0
// The printed gradients and plans of cells, compared with the files of golden/. SLUICE_REWRITE_GOLDEN=1 in
// the environment rewrites them: read the difference before it is kept.
#include <cstdlib>
#include <doctest/doctest.h>
#include <filesystem>
#include <fstream>
#include <graph/cells.hpp>
#include <sluice/graph/print/print.hpp>
#include <sluice/plan/plans.hpp>
#include <sluice/plan/print_plan.hpp>
#include <sstream>
#include <string>
#include <support/matrix_cells.hpp>

namespace golden_test {

using namespace sluice::equation;

namespace {

constexpr auto a = gate<"a">;
constexpr auto f = gate<"f">;
constexpr auto i = gate<"i">;
constexpr auto j = gate<"j">;
constexpr auto o = gate<"o">;
constexpr auto n = gate<"n">;
constexpr auto z = gate<"z">;
constexpr auto c = state<"c">;
constexpr auto m = state<"m", projection>;
constexpr auto context = input<"context">;

constexpr auto peephole_lstm = sluice::lines(
    i = sigmoid(x * W<"i"> + m * R<"i"> + c * p<"i"> + b<"i">), j = tanh(x * W<"j"> + m * R<"j"> + b<"j">),
    f = sigmoid(x * W<"f"> + m * R<"f"> + c * p<"f"> + b<"f"> + setting<"forget_bias">),
    next(c) = f * c + i * j, o = sigmoid(x * W<"o"> + m * R<"o"> + next(c) * p<"o"> + b<"o">),
    next(m) = (o * tanh(next(c))) * W<"P">, output = next(m));

constexpr auto min_gru =
    sluice::lines(z = sigmoid(x * W<"z"> + b<"z">), n = x * W<"n"> + b<"n">, next(h) = (1 - z) * h + z * n);

constexpr auto two_inputs =
    sluice::lines(next(h) = tanh(x * W<"x"> + context * W<"context"> + h * R<"h"> + b<"h">));

constexpr auto normalised =
    sluice::lines(a = x * W<"a"> + h * R<"a">, z = a - mean(a),
                  next(h) = tanh(z / (mean(z * z) + 0.001_n) * p<"scale"> + b<"shift">));

constexpr auto antisymmetric = sluice::lines(
    next(h) = h + setting<"dt"> * tanh(x * W<"h"> + h * (R<"h"> - transposed(R<"h">)) + b<"h">));

/// All that is printed of one cell. The passes run here, at run time: they are the same functions.
template <class Lines>
std::string all_of(Lines) {
    sluice::graph_view const written = cells::passes_of<Lines>::graph;
    sluice::graph const g = sluice::fuse(written);
    sluice::derivative_rules_table const rules =
        sluice::derivative_rules(typename cells::passes_of<Lines>::operations{});
    sluice::gradient const d = sluice::differentiate(g.seen(), rules);
    sluice::plan const backward = sluice::make_plan(sluice::backward_sweep(d.whole.seen(), d.given));
    sluice::plan const forward = sluice::make_plan(
        sluice::keeping_parts(sluice::forward_sweep(g.seen()), view_of(backward), d.whole.seen()));
    sluice::plan const inference = sluice::make_plan(sluice::forward_sweep(g.seen()));
    std::ostringstream out;
    out << print_equations(written) << "\ngradient\n\n"
        << print_equations(d.whole.seen()) << "\nplan that keeps nothing\n\n"
        << print_plan(view_of(inference), g.seen()) << "\nplans for learning\n\n"
        << print_plan(view_of(forward), g.seen()) << print_plan(view_of(backward), d.whole.seen());
    return out.str();
}

void compare(std::string const& name, std::string const& now) {
    auto const path = std::filesystem::path(SLUICE_GOLDEN) / (name + ".txt");
    if (std::getenv("SLUICE_REWRITE_GOLDEN") != nullptr) {
        std::ofstream(path) << now;
        MESSAGE("wrote " << path.native());
        return;
    }
    std::ifstream file(path);
    REQUIRE_MESSAGE(file, path.native() << " is missing; SLUICE_REWRITE_GOLDEN=1 writes it");
    std::ostringstream kept;
    kept << file.rdbuf();
    CHECK_MESSAGE(kept.str() == now, path.native()
                                         << " has other plans; SLUICE_REWRITE_GOLDEN=1 writes these:\n"
                                         << now);
}

} // namespace

TEST_CASE("golden: gradients and plans of the stock cells") {
    compare("mgu", all_of(cells::mgu));
    compare("gru", all_of(cells::gru));
    compare("cudnn_gru", all_of(cells::cudnn_gru));
    compare("lstm", all_of(cells::lstm));
    compare("glstm", all_of(cells::glstm));
    compare("peephole_lstm", all_of(peephole_lstm));
}

TEST_CASE("golden: gradients and plans of cells of other kinds") {
    compare("gated_attention", all_of(matrix_cells::gated_attention::equations));
    compare("nonlinear_memory", all_of(matrix_cells::nonlinear_memory::equations));
    compare("min_gru", all_of(min_gru));
    compare("two_inputs", all_of(two_inputs));
    compare("layer_norm", all_of(normalised));
    compare("antisymmetric", all_of(antisymmetric));
}

} // namespace golden_test
