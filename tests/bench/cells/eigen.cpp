// SPDX-License-Identifier: BSL-1.0
// A GRU by hand on Eigen: one product for all gates of the input and one for those of the state, the biases
// in them. Where units are few it is there twice: with extents that the compiler knows, the peer of steps of
// constant sizes, and with those of run time, the peer of this library's other steps.
#include "peers.hpp"
#include <Eigen/Dense>

namespace bench {

namespace {

template <int Units>
class step {
    static constexpr int gates = Units == Eigen::Dynamic ? Eigen::Dynamic : 3 * Units;
    using matrix = Eigen::Matrix<float, gates, Units>;
    using of_gates = Eigen::Matrix<float, gates, 1>;
    using vector = Eigen::Matrix<float, Units, 1>;

public:
    step(cell_numbers const& n, sequence const& over)
        : units_(static_cast<Eigen::Index>(n.units)), w_(3 * units_, units_), r_(3 * units_, units_),
          b_(3 * units_), b_r_(3 * units_), x_(units_), h_(vector::Zero(units_)), a_(3 * units_),
          s_(3 * units_) {
        for (Eigen::Index i = 0; i < units_; ++i)
            for (Eigen::Index k = 0; k < 3 * units_; ++k) {
                w_(k, i) = n.w[static_cast<std::size_t>(i * 3 * units_ + k)];
                r_(k, i) = n.r[static_cast<std::size_t>(i * 3 * units_ + k)];
            }
        for (Eigen::Index k = 0; k < 3 * units_; ++k) {
            b_(k) = n.b[static_cast<std::size_t>(k)];
            b_r_(k) = k < 2 * units_ ? 0 : n.b_recurrent[static_cast<std::size_t>(k - 2 * units_)];
        }
        for (Eigen::Index i = 0; i < units_; ++i)
            x_(i) = over.xs[static_cast<std::size_t>(i)];
    }
    void call() {
        a_.noalias() = b_ + w_ * x_;
        s_.noalias() = b_r_ + r_ * h_;
        auto const part = [this](of_gates& of, int gate) {
            return of.template segment<Units>(gate * units_, units_).array();
        };
        auto const r = (part(a_, 0) + part(s_, 0)).logistic().eval();
        auto const u = (part(a_, 1) + part(s_, 1)).logistic().eval();
        h_.array() = u * h_.array() + (1 - u) * (part(a_, 2) + r * part(s_, 2)).tanh();
    }
    std::vector<float> answer() {
        h_.setZero();
        call();
        call();
        return {h_.data(), h_.data() + units_};
    }

private:
    Eigen::Index units_;
    matrix w_, r_;
    of_gates b_, b_r_;
    vector x_, h_;
    of_gates a_, s_;
};

template <int Units>
contestant contestant_of(char const* called, cell_numbers const& n, sequence const& over) {
    return contestant_with<step<Units>>(called, n, over);
}

} // namespace

std::optional<contestant> eigen(cell_numbers const& cell, sequence const& over) {
    if (cell.kind != cell_kind::cudnn_gru || cell.input != cell.units || over.batch != 1 || !over.is_step())
        return {};
    switch (cell.units) {
    case 8:
        return contestant_of<8>("Eigen", cell, over);
    case 16:
        return contestant_of<16>("Eigen", cell, over);
    case 32:
        return contestant_of<32>("Eigen", cell, over);
    case 64:
        return contestant_of<64>("Eigen", cell, over);
    default:
        return contestant_of<Eigen::Dynamic>("Eigen", cell, over);
    }
}

std::optional<contestant> eigen_of_run_time(cell_numbers const& cell, sequence const& over) {
    if (cell.units > 64 || !eigen(cell, over)) // of more units `eigen` has such extents
        return {};
    return contestant_of<Eigen::Dynamic>("Eigen, sizes of run time", cell, over);
}

std::string eigen_version() {
    return std::to_string(EIGEN_WORLD_VERSION) + "." + std::to_string(EIGEN_MAJOR_VERSION) + "." +
           std::to_string(EIGEN_MINOR_VERSION);
}

} // namespace bench
