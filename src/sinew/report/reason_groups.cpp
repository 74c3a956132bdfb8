#include "sinew/report/reason_groups.hpp"

#include <cctype>

namespace sinew {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// Whether a number may begin behind this letter: not within a name, nor behind its dot.
bool ends_word(char c) {
  return !std::isalnum(static_cast<unsigned char>(c)) && c != '_' && c != '.' &&
         static_cast<unsigned char>(c) < 0x80;
}

/// Length of the number at the start: -1.5e-05; 0 if there is none, or if a name goes on.
size_t number_length(std::string_view text) {
  size_t k = !text.empty() && (text[0] == '-' || text[0] == '+') ? 1 : 0;
  const size_t first = k;
  while (k < text.size() && is_digit(text[k])) ++k;
  if (k == first) return 0;
  if (k + 1 < text.size() && text[k] == '.' && is_digit(text[k + 1]))
    for (++k; k < text.size() && is_digit(text[k]);) ++k;
  if (k < text.size() && (text[k] == 'e' || text[k] == 'E')) {
    size_t end = k + 1;
    if (end < text.size() && (text[end] == '-' || text[end] == '+')) ++end;
    const size_t digits = end;
    while (end < text.size() && is_digit(text[end])) ++end;
    if (end > digits) k = end;
  }
  const bool name =
      k < text.size() && (std::isalnum(static_cast<unsigned char>(text[k])) != 0 || text[k] == '_');
  return name ? 0 : k;
}

}  // namespace

ReasonGroups::Parts ReasonGroups::split(std::string_view reason) {
  Parts out{{""}, ""};
  for (size_t k = 0; k < reason.size();) {
    const size_t length =
        k == 0 || ends_word(reason[k - 1]) ? number_length(reason.substr(k)) : size_t{0};
    if (length == 0) {
      out.text.back() += reason[k++];
      continue;
    }
    if (!out.numbers.empty()) out.numbers += ' ';
    out.numbers += reason.substr(k, length);
    out.text.emplace_back();
    k += length;
  }
  return out;
}

size_t ReasonGroups::add(std::string_view reason, std::string& numbers) {
  Parts parts = split(reason);
  std::string key;
  for (const std::string& piece : parts.text) key += piece + '\0';
  const auto [known, fresh] = known_.emplace(std::move(key), groups_.size());
  if (fresh) groups_.push_back({std::move(parts.text)});
  ++groups_[known->second].count;
  numbers = std::move(parts.numbers);
  return known->second;
}

}  // namespace sinew
