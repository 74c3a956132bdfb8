#include "fuzz/mutator.hpp"

#include <fmt/format.h>

#include <array>
#include <cstdlib>
#include <string_view>

namespace sinew::fuzz {
namespace {

/// A stretch of text: a number, a string with its quotes, or one other character.
struct Token {
  size_t begin = 0, length = 0;
};

bool is_number_character(char c) {
  return (c >= '0' && c <= '9') || c == '-' || c == '+' || c == '.' || c == 'e' || c == 'E';
}

Token token_at(const std::string& text, size_t begin) {
  size_t end = begin + 1;
  if (text[begin] == '"') {
    while (end < text.size() && text[end] != '"') ++end;
    ++end;
  } else if (is_number_character(text[begin])) {
    while (end < text.size() && is_number_character(text[end])) ++end;
  }
  return {begin, std::min(end, text.size()) - begin};
}

/// All tokens but white space and punctuation, or with it.
std::vector<Token> tokens_of(const std::string& text, bool values_only) {
  std::vector<Token> tokens;
  for (size_t i = 0; i < text.size();) {
    const Token token = token_at(text, i);
    const bool value = text[i] == '"' || is_number_character(text[i]);
    if (value || (!values_only && text[i] > ' ')) tokens.push_back(token);
    i += token.length;
  }
  return tokens;
}

constexpr std::array<std::string_view, 40> kTokens = {"0",           "-0",
                                                      "1",           "-1",
                                                      "2",           "3",
                                                      "0.5",         "1e-300",
                                                      "1e-8",        "1e8",
                                                      "1e30",        "1e99",
                                                      "1e300",       "7",
                                                      "100",         "5000",
                                                      "100000",      "-5",
                                                      "1e-30",       "2147483648",
                                                      "1e18",        "3.141592653589793",
                                                      "1e999",       "100001",
                                                      "null",        "true",
                                                      "false",       "[]",
                                                      "{}",          "\"\"",
                                                      "NaN",         "\"{}\"",
                                                      "[[]]",        "[0, 0, 0]",
                                                      "[1, 0, 0]",   "\"world\"",
                                                      "\"cgs\"",     "\"natural\"",
                                                      "\"initial\"", "\"dopri5\""};
constexpr size_t kNumbers = 24;  // the first of them

}  // namespace

Mutator::Mutator(std::vector<std::string> corpus, unsigned seed)
    : corpus_(std::move(corpus)), random_(seed) {}

size_t Mutator::below(size_t n) { return n == 0 ? 0 : random_() % n; }

std::string Mutator::next() {
  std::string text = any_text();
  // Mostly one or two: with many, the first mistake hides all others.
  do {
    mutate(text);
  } while (!text.empty() && below(3) == 0);
  return text;
}

void Mutator::mutate(std::string& text) {
  // Mostly what leaves the JSON whole: everything else ends at the parser.
  switch (below(20)) {
    case 0:
      return mutate_bytes(text);
    case 1:
    case 2:
      return move_stretch(text);
    case 3:
    case 4:
    case 5:
    case 6:
      return replace_token(text);
    default:
      return change_number(text);
  }
}

void Mutator::change_number(std::string& text) {
  std::vector<Token> numbers = tokens_of(text, true);
  std::erase_if(numbers, [&](const Token& token) { return text[token.begin] == '"'; });
  if (numbers.empty()) return;
  const Token target = numbers[below(numbers.size())];
  std::string replacement;
  if (below(3) == 0) {
    replacement = kTokens[below(kNumbers)];
  } else {
    // Some other size or sign, or slightly off.
    const double value = std::strtod(text.substr(target.begin, target.length).c_str(), nullptr);
    constexpr std::array kFactors = {-1.0, 0.999, 1.001, 0.5, 2.0, 10.0, 0.1, 1e3, 1e-3, 1e6};
    replacement = fmt::format("{}", value * kFactors[below(kFactors.size())]);
  }
  text.replace(target.begin, target.length, replacement);
}

void Mutator::mutate_bytes(std::string& text) {
  const size_t at = below(text.size());
  switch (below(4)) {
    case 0:
      text[at] = static_cast<char>(below(256));
      break;
    case 1:
      text.erase(at, 1 + below(20));
      break;
    case 2:
      text.resize(at);
      break;
    default:
      text.insert(at, text.substr(at, 1 + below(50)));
      break;
  }
}

void Mutator::replace_token(std::string& text) {
  const std::vector<Token> tokens = tokens_of(text, below(8) != 0);
  if (tokens.empty()) return;
  const Token target = tokens[below(tokens.size())];
  std::string replacement;
  if (below(2) == 0) {
    replacement = kTokens[below(kTokens.size())];
  } else {
    // A token of the same sort from anywhere: keys meet wrong objects, names wrong things.
    const std::string& other = any_text();
    const std::vector<Token> others = tokens_of(other, true);
    for (int attempt = 0; attempt < 20 && !others.empty(); ++attempt) {
      const Token source = others[below(others.size())];
      replacement = other.substr(source.begin, source.length);
      if ((replacement[0] == '"') == (text[target.begin] == '"')) break;
    }
  }
  text.replace(target.begin, target.length, replacement);
}

void Mutator::move_stretch(std::string& text) {
  // From one comma to another, so that list elements and members are doubled, moved or lost.
  std::vector<size_t> commas;
  for (size_t i = 0; i < text.size(); ++i)
    if (text[i] == ',') commas.push_back(i);
  if (commas.size() < 2) return;
  const size_t first = below(commas.size() - 1);
  const size_t last = std::min(first + 1 + below(6), commas.size() - 1);
  const std::string stretch = text.substr(commas[first], commas[last] - commas[first]);
  switch (below(3)) {
    case 0:
      text.erase(commas[first], stretch.size());
      break;
    case 1:
      text.insert(commas[last], stretch);
      break;
    default:
      text.insert(commas[below(commas.size())], stretch);
      break;
  }
}

}  // namespace sinew::fuzz
