#include <fmt/format.h>

#include <cstdint>
#include <cstdlib>

#include "fuzz/readers.hpp"
#include "sinew/core/error.hpp"

/// The interface of libFuzzer for one reader, which --reader=NAME chooses: see scripts/fuzz.sh.

namespace {
const sinew::fuzz::Reader* chosen = nullptr;
}

extern "C" int LLVMFuzzerInitialize(int* argc, char*** argv) {
  constexpr std::string_view kOption = "--reader=";
  try {
    for (int k = 1; k < *argc; ++k)
      if (const std::string_view argument = (*argv)[k]; argument.starts_with(kOption))
        chosen = &sinew::fuzz::reader_of(argument.substr(kOption.size()));
  } catch (const sinew::Error& error) {
    fmt::print(stderr, "{}\n", error.what());
    std::exit(2);
  }
  if (chosen) return 0;
  fmt::print(stderr, "no reader chosen: give --reader=NAME\n");
  std::exit(2);
}

/// An exception that survives() lets pass ends the program: libFuzzer keeps the input.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  sinew::fuzz::survives(*chosen, {reinterpret_cast<const char*>(data), size});
  return 0;
}
