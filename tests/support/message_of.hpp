#pragma once

#include <string>

#include "sinew/core/error.hpp"

namespace sinew::test {

/// What the Error of a call says; empty where it throws none.
template <class Call>
std::string message_of(Call&& call) {
  try {
    call();
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

}  // namespace sinew::test
