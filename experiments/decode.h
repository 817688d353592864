// Free-running decoding: a causal model reads what it wrote itself, token after token.
#pragma once

#include <optional>

#include "experiments/model/transformer.h"

namespace lengthwise {

/// How a token is picked from its logits.
struct Sampling {
  double temperature = 0;  // 0: always the largest logit, the first of equal ones
  std::size_t top = 0;     // only among this many largest; 0: all
};

/// The picked token. logits [1, vocabulary]; `rng` is used with a temperature alone.
template <class T>
int pick_token(Matrix<const T> logits, const Sampling& sampling, Rng rng);

/// One sequence that grows by a token at a time.
template <class T>
class Decoder {
 public:
  /// `whole`: a batch of one sequence with as many tokens as there may be, each with its ids: schemes number a sequence
  /// by its length, and draws are made once. Its first `given` tokens are there, the others' values are ignored. The
  /// model must be causal.
  Decoder(const Transformer<T>& model, Batch whole, std::size_t given);

  /// Logits of the token that follows, [1, vocabulary]: equal to those of a full pass over the tokens so far, which is
  /// what it makes where an encoding's options follow the sequence's length, and else only of the last token.
  Variable<T> next();
  /// Throws std::logic_error beyond the room.
  void append(int token);

  std::size_t tokens() const { return tokens_; }
  std::size_t room() const { return whole_.tokens.size(); }

 private:
  const Transformer<T>& model_;
  Batch whole_;
  std::size_t tokens_;
  std::optional<DecodingCache<T>> cache_;
};

/// Writes and reads back up to `most` tokens, as far as there is room, and EOS last where `ends`. Returns them.
template <class T>
std::vector<int> write_tokens(Decoder<T>& decoder, std::size_t most, bool ends, const Sampling& sampling,
                              const Rng& rng);

}  // namespace lengthwise
