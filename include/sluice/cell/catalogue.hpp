// SPDX-License-Identifier: BSL-1.0
// The catalogue: every recurrent cell that comes with the library, in one list that tests, benchmarks,
// examples and the documentation walk through.
//
//   hana::for_each(sluice::catalogue, [](auto entry) {
//       using page = typename decltype(entry)::type;
//       std::cout << sluice::page_name<page>() << ": " << page::source << '\n';     gru: Cho et al., ...
//   });
//
// A cell of one's own joins by its header above and its name in the list; docs/cells.md is written from it.
#pragma once

#include <boost/hana/for_each.hpp>
#include <boost/hana/tuple.hpp>
#include <boost/hana/type.hpp>
#include <sluice/cell/antisymmetric_rnn.hpp>
#include <sluice/cell/atr.hpp>
#include <sluice/cell/brc.hpp>
#include <sluice/cell/canonical.hpp>
#include <sluice/cell/cfc.hpp>
#include <sluice/cell/cfn.hpp>
#include <sluice/cell/cornn.hpp>
#include <sluice/cell/coupled_lstm.hpp>
#include <sluice/cell/ctrnn.hpp>
#include <sluice/cell/cudnn_gru.hpp>
#include <sluice/cell/echo_state.hpp>
#include <sluice/cell/fast_rnn.hpp>
#include <sluice/cell/glstm.hpp>
#include <sluice/cell/gru.hpp>
#include <sluice/cell/gru_d.hpp>
#include <sluice/cell/gru_ode.hpp>
#include <sluice/cell/ind_rnn.hpp>
#include <sluice/cell/janet.hpp>
#include <sluice/cell/jordan_rnn.hpp>
#include <sluice/cell/layer_norm_gru.hpp>
#include <sluice/cell/layer_norm_lstm.hpp>
#include <sluice/cell/lem.hpp>
#include <sluice/cell/li_gru.hpp>
#include <sluice/cell/lmu.hpp>
#include <sluice/cell/lstm.hpp>
#include <sluice/cell/ltc.hpp>
#include <sluice/cell/mgu.hpp>
#include <sluice/cell/mi_rnn.hpp>
#include <sluice/cell/min_gru.hpp>
#include <sluice/cell/minimal_rnn.hpp>
#include <sluice/cell/mogrifier_lstm.hpp>
#include <sluice/cell/multiplicative_lstm.hpp>
#include <sluice/cell/mut.hpp>
#include <sluice/cell/nas.hpp>
#include <sluice/cell/on_lstm.hpp>
#include <sluice/cell/page.hpp>
#include <sluice/cell/qrnn.hpp>
#include <sluice/cell/ran.hpp>
#include <sluice/cell/reduced_gru.hpp>
#include <sluice/cell/rhn.hpp>
#include <sluice/cell/rnn.hpp>
#include <sluice/cell/rwkv4.hpp>
#include <sluice/cell/scrn.hpp>
#include <sluice/cell/slstm.hpp>
#include <sluice/cell/sru.hpp>
#include <sluice/cell/star.hpp>
#include <sluice/cell/sub_lstm.hpp>
#include <sluice/cell/ugrnn.hpp>
#include <sluice/cell/unicornn.hpp>

namespace sluice {

// clang-format off
inline constexpr auto catalogue = boost::hana::tuple_t<
    tanh_rnn, relu_rnn,
    gru, cudnn_gru, canonical_gru,
    lstm, peephole_lstm, projected_lstm,
    glstm,
    mgu, minimal_rnn, ugrnn, janet, star, li_gru,
    mut1, mut2, mut3,
    gru1, gru2, gru3,
    brc, nbrc,
    cfn, atr, mi_rnn, delta_rnn, jordan_rnn,
    ind_rnn, ran, sru, scrn,
    coupled_lstm, multiplicative_lstm, mogrifier_lstm, sub_lstm, on_lstm, slstm,
    layer_norm_lstm, layer_norm_gru,
    nas, rhn,
    min_gru, min_lstm,
    qrnn_f, qrnn_fo, qrnn_ifo,
    rwkv4,
    fast_rnn, fast_grnn, antisymmetric_rnn, gated_antisymmetric_rnn,
    cornn, imex_cornn, unicornn, lem,
    ctrnn, ltc, cfc, gru_ode, gru_d,
    lmu, echo_state>;
// clang-format on

} // namespace sluice
