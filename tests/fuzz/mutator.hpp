#pragma once

#include <random>
#include <string>
#include <vector>

namespace sinew::fuzz {

/// Makes wrong scenes out of right ones. The same seed makes the same scenes.
class Mutator {
 public:
  Mutator(std::vector<std::string> corpus, unsigned seed);

  /// A text of the corpus with one to eight mutations: of bytes, of tokens, of numbers, of whole
  /// stretches.
  std::string next();

  /// Uniform in [0, n); 0 if n is 0.
  size_t below(size_t n);

 private:
  void mutate(std::string& text);
  void mutate_bytes(std::string& text);
  void change_number(std::string& text);
  void replace_token(std::string& text);
  void move_stretch(std::string& text);
  const std::string& any_text() { return corpus_[below(corpus_.size())]; }

  std::vector<std::string> corpus_;
  std::mt19937_64 random_;
};

}  // namespace sinew::fuzz
