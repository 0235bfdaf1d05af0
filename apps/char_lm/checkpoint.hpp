// SPDX-License-Identifier: BSL-1.0
#pragma once

// One safetensors file holds a whole training, so that its parts can never belong to different moments:
//
//   model/...  optimizer/...  state/...     where the training stands, to go on from there
//   best/...                                the weights of the best validation so far
//   metadata "char_lm"                      the fixed options and the history, as JSON

#include "history.hpp"
#include "options.hpp"

#include <sluice/checkpoint/archive.hpp>

#include <string>

namespace char_lm {

struct saved_training {
    options chosen; // the fixed options only
    history past;
    sluice::archive tensors;
};

// Everything in it has been checked, but for what needs the text: the tensors' shapes and the last step.
saved_training read_checkpoint(const std::string& path);

// The archive holds the tensors; the rest is added, and the file is replaced as a whole.
void write_checkpoint(const std::string& path, const options& o, const history& past,
                      sluice::archive tensors);

// Takes the fixed options of a saved training; refuses those that the command line gives another value.
void adopt(options& o, const saved_training& saved);

} // namespace char_lm
