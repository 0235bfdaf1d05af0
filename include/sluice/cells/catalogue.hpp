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
#include <sluice/cells/antisymmetric_rnn.hpp>
#include <sluice/cells/atr.hpp>
#include <sluice/cells/brc.hpp>
#include <sluice/cells/canonical_cells.hpp>
#include <sluice/cells/cfc.hpp>
#include <sluice/cells/cfn.hpp>
#include <sluice/cells/comba.hpp>
#include <sluice/cells/cornn.hpp>
#include <sluice/cells/coupled_lstm.hpp>
#include <sluice/cells/ctrnn.hpp>
#include <sluice/cells/cudnn_gru.hpp>
#include <sluice/cells/delta_net.hpp>
#include <sluice/cells/delta_product.hpp>
#include <sluice/cells/echo_state.hpp>
#include <sluice/cells/fast_rnn.hpp>
#include <sluice/cells/gated_oja.hpp>
#include <sluice/cells/glstm.hpp>
#include <sluice/cells/griffin.hpp>
#include <sluice/cells/gru.hpp>
#include <sluice/cells/gru_d.hpp>
#include <sluice/cells/gru_ode.hpp>
#include <sluice/cells/hgrn2.hpp>
#include <sluice/cells/ind_rnn.hpp>
#include <sluice/cells/janet.hpp>
#include <sluice/cells/jordan_rnn.hpp>
#include <sluice/cells/layer_norm_gru.hpp>
#include <sluice/cells/layer_norm_lstm.hpp>
#include <sluice/cells/lem.hpp>
#include <sluice/cells/li_gru.hpp>
#include <sluice/cells/linear_attention.hpp>
#include <sluice/cells/lmu.hpp>
#include <sluice/cells/lstm.hpp>
#include <sluice/cells/ltc.hpp>
#include <sluice/cells/m2rnn.hpp>
#include <sluice/cells/mamba.hpp>
#include <sluice/cells/mgu.hpp>
#include <sluice/cells/mi_rnn.hpp>
#include <sluice/cells/min_gru.hpp>
#include <sluice/cells/minimal_rnn.hpp>
#include <sluice/cells/mlstm.hpp>
#include <sluice/cells/mlstm_block.hpp>
#include <sluice/cells/mogrifier_lstm.hpp>
#include <sluice/cells/multiplicative_lstm.hpp>
#include <sluice/cells/mut.hpp>
#include <sluice/cells/nas.hpp>
#include <sluice/cells/on_lstm.hpp>
#include <sluice/cells/page_name.hpp>
#include <sluice/cells/qrnn.hpp>
#include <sluice/cells/ran.hpp>
#include <sluice/cells/reduced_gru.hpp>
#include <sluice/cells/retnet.hpp>
#include <sluice/cells/rg_lru.hpp>
#include <sluice/cells/rhn.hpp>
#include <sluice/cells/rnn.hpp>
#include <sluice/cells/rwkv4.hpp>
#include <sluice/cells/rwkv5.hpp>
#include <sluice/cells/rwkv7.hpp>
#include <sluice/cells/s5.hpp>
#include <sluice/cells/scrn.hpp>
#include <sluice/cells/slstm.hpp>
#include <sluice/cells/sru.hpp>
#include <sluice/cells/star.hpp>
#include <sluice/cells/sub_lstm.hpp>
#include <sluice/cells/test_time.hpp>
#include <sluice/cells/ugrnn.hpp>
#include <sluice/cells/unicornn.hpp>

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
    linear_attention, retnet, gated_linear_attention, hgrn2, rwkv5, rwkv6, mamba, mamba2, mlstm,
    delta_net, gated_delta_net, kimi_delta_net, comba, delta_product, rwkv7, gated_oja, ttt_linear, titans,
    m2rnn,
    rg_lru, s5, griffin_mixing, mlstm_block,
    fast_rnn, fast_grnn, antisymmetric_rnn, gated_antisymmetric_rnn,
    cornn, imex_cornn, unicornn, lem,
    ctrnn, ltc, cfc, gru_ode, gru_d,
    lmu, echo_state>;
// clang-format on

} // namespace sluice
