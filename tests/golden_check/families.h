// What compares the cases of a family: files of golden values by name.
#pragma once

#include "tests/golden_check/check.h"

namespace lengthwise {

// added.cpp: what is added to the embeddings
void check_sinusoidal(Check&);
void check_bert_embeddings(Check&);
void check_vit_pos_grid(Check&);
void check_sincos2d(Check&);  // part of rope2d

// rotary.cpp
void check_rope(Check&);
void check_rope_scaling(Check&);
void check_rope2d(Check&);
void check_xpos(Check&);

// biases.cpp: what is added to the scores, whatever the content
void check_alibi(Check&);
void check_t5(Check&);
void check_kerple(Check&);
void check_sandwich(Check&);
void check_fire(Check&);
void check_relative_2d(Check&);
void check_dape(Check&);

// content.cpp: what depends on queries, keys or the layer's input
void check_shaw(Check&);
void check_transformer_xl(Check&);
void check_deberta(Check&);
void check_cope(Check&);
void check_forget_gate(Check&);
void check_ssmax(Check&);
void check_stick_breaking(Check&);

// ids.cpp: position ids, and encodings fed with drawn ones
void check_abacus(Check&);
void check_randomized(Check&);

// model.cpp: what a model is made of, and a whole one
void check_layers(Check&);
void check_optim(Check&);
void check_tiny_gpt(Check&);

}  // namespace lengthwise
