// SPDX-License-Identifier: BSL-1.0
// Descriptors need no device: the real library, where it is, takes and refuses what the one of the host takes
// and refuses. It is opened beside the other, whose names are the program's.
#include "host_cudnn.hpp"
#include <dlfcn.h>

namespace {

void* real_library() {
    static void* const library = [] {
        void* found = nullptr;
        for (char const* name : {SLUICE_HOST_CUDNN, "libcudnn.so.9"})
            if (found == nullptr)
                found = dlopen(name, RTLD_NOW | RTLD_LOCAL);
        return found;
    }();
    return library;
}

template <class Function>
Function* real(char const* name, Function*) {
    return reinterpret_cast<Function*>(dlsym(real_library(), name));
}

/// Both: the one of the program, and the real one.
template <class Function>
struct pair {
    pair(char const* name, Function* mine) : here(mine), there(real(name, mine)) {
        REQUIRE((there != nullptr));
        REQUIRE((there != here));
    }
    Function *here, *there;
};
#define BOTH(function) pair<decltype(function)>(#function, &function)

/// Every combination of one changed argument with one more.
using arguments = std::vector<int>;
std::vector<arguments> variations(arguments const& plain, std::vector<arguments> const& values) {
    std::vector<arguments> all{plain};
    for (std::size_t i = 0; i < plain.size(); ++i)
        for (int const one : values[i]) {
            arguments changed = plain;
            changed[i] = one;
            all.push_back(changed);
            for (std::size_t j = i + 1; j < plain.size(); ++j)
                for (int const two : values[j]) {
                    arguments twice = changed;
                    twice[j] = two;
                    all.push_back(twice);
                }
        }
    return all;
}

std::string words(arguments const& all) {
    std::string text;
    for (int const each : all)
        text += std::to_string(each) + " ";
    return text;
}

} // namespace

TEST_CASE("cuDNN on the host: RNN descriptors refuse as the real ones do") {
    if (real_library() == nullptr) {
        MESSAGE("skipped: libcudnn.so.9 is not here");
        return;
    }
    auto const create = BOTH(cudnnCreateRNNDescriptor);
    auto const set = BOTH(cudnnSetRNNDescriptor_v8);
    auto const destroy = BOTH(cudnnDestroyRNNDescriptor);
    cudnnRNNDescriptor_t here = nullptr, there = nullptr;
    REQUIRE(create.here(&here) == CUDNN_STATUS_SUCCESS);
    REQUIRE(create.there(&there) == CUDNN_STATUS_SUCCESS);
    // algorithm, cell, bias, direction, input, type, math precision, math type, inputs, units, projection,
    // layers, flags
    auto const all = variations({0, 2, 2, 0, 0, 0, 0, 3, 4, 6, 6, 2, 1}, {{-1, 1, 2, 3, 4},
                                                                          {-1, 0, 1, 3, 4},
                                                                          {-1, 0, 1, 3, 4},
                                                                          {-1, 1, 2},
                                                                          {-1, 1, 2},
                                                                          {-1, 1, 2, 3, 9, 12},
                                                                          {-1, 1, 2, 9},
                                                                          {-1, 0, 1, 2, 4},
                                                                          {-1, 0, 6},
                                                                          {-1, 0, 1, 2147483647},
                                                                          {-1, 0, 1, 5, 7},
                                                                          {-1, 0, 1, 1000},
                                                                          {0, 2, 3}});
    std::size_t accepted = 0;
    for (auto const& a : all) {
        auto const call = [&a](auto* function, cudnnRNNDescriptor_t to) {
            return function(to, cudnnRNNAlgo_t(a[0]), cudnnRNNMode_t(a[1]), cudnnRNNBiasMode_t(a[2]),
                            cudnnDirectionMode_t(a[3]), cudnnRNNInputMode_t(a[4]), cudnnDataType_t(a[5]),
                            cudnnDataType_t(a[6]), cudnnMathType_t(a[7]), a[8], a[9], a[10], a[11], nullptr,
                            unsigned(a[12]));
        };
        INFO(words(a));
        auto const status = call(set.there, there);
        CHECK(call(set.here, here) == status);
        accepted += status == CUDNN_STATUS_SUCCESS ? 1 : 0;
    }
    CHECK(accepted > all.size() / 10);
    CHECK(accepted < all.size() / 2);
    CHECK(set.there(nullptr, {}, {}, {}, {}, {}, {}, {}, {}, 1, 1, 1, 1, nullptr, 0) ==
          set.here(nullptr, {}, {}, {}, {}, {}, {}, {}, {}, 1, 1, 1, 1, nullptr, 0));
    CHECK(destroy.there(there) == destroy.here(here));
    CHECK(destroy.there(nullptr) == destroy.here(nullptr));
}

TEST_CASE("cuDNN on the host: data descriptors refuse as the real ones do") {
    if (real_library() == nullptr)
        return;
    auto const create = BOTH(cudnnCreateRNNDataDescriptor);
    auto const set = BOTH(cudnnSetRNNDataDescriptor);
    auto const get = BOTH(cudnnGetRNNDataDescriptor);
    cudnnRNNDataDescriptor_t here = nullptr, there = nullptr;
    REQUIRE(create.here(&here) == CUDNN_STATUS_SUCCESS);
    REQUIRE(create.there(&there) == CUDNN_STATUS_SUCCESS);
    std::vector<std::vector<int>> const lengths{{5, 5, 5}, {5, 3, 1}, {5, 3, 4}, {1, 3, 5}, {4, 3, 2},
                                                {5, 3, 0}, {5, 0, 3}, {6, 3, 1}, {5, -1, 1}};
    // type, layout, steps, batch, width, lengths (-1: none)
    for (auto const& a : variations({0, 0, 5, 3, 4, 0}, {{-1, 1, 2, 3, 4, 9, 12, 99},
                                                         {-1, 1, 2, 3},
                                                         {-1, 0, 4, 6, 65535, 65536},
                                                         {-1, 0, 1},
                                                         {-1, 0, 1},
                                                         {-1, 1, 2, 3, 4, 5, 6, 7, 8}})) {
        auto const call = [&](auto* function, cudnnRNNDataDescriptor_t to) {
            double fill = 0;
            return function(to, cudnnDataType_t(a[0]), cudnnRNNDataLayout_t(a[1]), a[2], a[3], a[4],
                            a[5] < 0 ? nullptr : lengths[std::size_t(a[5])].data(), &fill);
        };
        INFO(words(a));
        CHECK(call(set.here, here) == call(set.there, there));
    }
    int const three[] = {2, 4, 1};
    float fill = 2.5f;
    for (auto const& [function, to] : {std::pair{set.here, here}, {set.there, there}})
        REQUIRE(function(to, CUDNN_DATA_FLOAT, CUDNN_RNN_DATA_LAYOUT_BATCH_MAJOR_UNPACKED, 4, 3, 7, three,
                         &fill) == CUDNN_STATUS_SUCCESS);
    for (auto const& [function, to] : {std::pair{get.here, here}, {get.there, there}}) {
        cudnnDataType_t type;
        cudnnRNNDataLayout_t layout;
        int steps = 0, batch = 0, width = 0, lengths_now[] = {9, 9, 9};
        float fill_now = 0;
        CHECK(function(to, &type, &layout, &steps, &batch, &width, 2, lengths_now, &fill_now) ==
              CUDNN_STATUS_SUCCESS);
        CHECK(std::vector{int(type), int(layout), steps, batch, width, lengths_now[0], lengths_now[1],
                          lengths_now[2]} == std::vector{0, 2, 4, 3, 7, 2, 4, 9});
        CHECK(fill_now == 2.5f);
        CHECK(function(to, &type, &layout, &steps, &batch, &width, -1, lengths_now, nullptr) ==
              CUDNN_STATUS_BAD_PARAM);
        CHECK(function(to, nullptr, &layout, &steps, &batch, &width, 0, nullptr, nullptr) ==
              CUDNN_STATUS_BAD_PARAM);
    }
    cudnnDestroyRNNDataDescriptor(here);
}

TEST_CASE("cuDNN on the host: tensor descriptors refuse as the real ones do") {
    if (real_library() == nullptr)
        return;
    auto const create = BOTH(cudnnCreateTensorDescriptor);
    auto const set = BOTH(cudnnSetTensorNdDescriptor);
    auto const size = BOTH(cudnnGetTensorSizeInBytes);
    cudnnTensorDescriptor_t here = nullptr, there = nullptr;
    REQUIRE(create.here(&here) == CUDNN_STATUS_SUCCESS);
    REQUIRE(create.there(&there) == CUDNN_STATUS_SUCCESS);
    // type, dimensions, extents, strides
    for (auto const& a : variations({0, 3, 2, 3, 4, 12, 4, 1}, {{1, 2, 9, 99},
                                                                {0, 1, 2},
                                                                {-1, 0, 1, 65536},
                                                                {-1, 0, 1, 65536},
                                                                {-1, 0, 1},
                                                                {0, 262144},
                                                                {0, 1},
                                                                {0, 2}})) {
        INFO(words(a));
        auto const status = set.there(there, cudnnDataType_t(a[0]), a[1], &a[2], &a[5]);
        CHECK(set.here(here, cudnnDataType_t(a[0]), a[1], &a[2], &a[5]) == status);
        if (status != CUDNN_STATUS_SUCCESS)
            continue;
        std::size_t mine = 0, real_one = 0;
        CHECK(size.here(here, &mine) == size.there(there, &real_one));
        CHECK(mine == real_one);
    }
    cudnnDestroyTensorDescriptor(here);
}

TEST_CASE("cuDNN on the host: texts of statuses are the real ones") {
    if (real_library() == nullptr)
        return;
    auto const text = BOTH(cudnnGetErrorString);
    for (auto const status : {0, 7, 1001, 1002, 1008, 2000, 2002, 2006, 2008, 3000, 3007, 4000, 4003, 4004,
                              5000, 5001, 5002, 5003})
        CHECK(std::string(text.here(cudnnStatus_t(status))) == text.there(cudnnStatus_t(status)));
}
