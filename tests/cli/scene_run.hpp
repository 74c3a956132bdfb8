#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <thread>
#include <vector>

#include "cli/program.hpp"
#include "sinew/analysis/audit.hpp"
#include "sinew/io/models/loaded_model.hpp"
#include "support/floating_point_traps.hpp"

/// Laws for every scene and model, some checked in each build and all in `make validate`.

namespace sinew::test {

/// Runs a scene or a model to its end or to `until` [s], with its audit; returns the hash of its
/// last state.
inline std::uint64_t run_scene(const std::filesystem::path& file, double until) {
  const LoadedModel model = load_model(file.string());
  const System system = model.system();
  SimulationSettings settings = model.settings;
  settings.until = std::min(settings.until, until);
  State state = initial_state(system, settings.step);
  Workspace ws(system);
  Audit audit(system, settings.step, state, ws);
  SimulationObserver observer;
  observer.on_step = [&](const State& now, const StepReport& report) {
    audit.add_step(now, report, ws);
  };
  simulate(system, settings, state, ws, observer);
  audit.report();
  return hash(state);
}

inline void expect_no_trap(const std::filesystem::path& file, double until) {
#ifdef __clang__
  // Its vector code divides in unused lanes. -ffp-exception-behavior=maytrap would
  // prevent that, and make all code slower.
  GTEST_SKIP() << "clang's vector code traps in lanes that nobody reads: run this test with g++";
#endif
  const FloatingPointTraps traps;
  run_scene(file, until);
}

/// Several threads that run the scene at the same time, each for itself, end where one alone does.
inline void expect_same_bits_in_threads(const std::filesystem::path& file, double until) {
  const std::uint64_t alone = run_scene(file, until);
  std::array<std::uint64_t, 3> together{};
  std::vector<std::thread> threads;
  for (std::uint64_t& hash : together)
    threads.emplace_back([&hash, &file, until] { hash = run_scene(file, until); });
  for (std::thread& thread : threads) thread.join();
  for (const std::uint64_t hash : together) EXPECT_EQ(hash, alone) << file;
}

/// Runs the program with one of our vector units, as long as run_scene does; its "final_hash",
/// empty where the machine does not have that unit.
inline std::string hash_with_unit(const std::filesystem::path& file, double until,
                                  const std::string& unit) {
  const double end = std::min(load_model(file.string()).settings.until, until);
  setenv("SINEW_VECTOR_UNIT", unit.c_str(), 1);
  const ProgramResult run =
      run_program("simulate '" + file.string() + "' --json --until " + std::to_string(end));
  unsetenv("SINEW_VECTOR_UNIT");
  if (run.err.find("is not available on this machine") != std::string::npos) return "";
  // A part of a run may fail its audit (4); its bits count all the same.
  const bool finished = run.exit_code == 0 || run.exit_code == 4;
  EXPECT_TRUE(finished) << file << "\n" << run.err;
  return finished ? nlohmann::json::parse(run.out).at("final_hash") : "";
}

inline void expect_same_bits_with_every_unit(const std::filesystem::path& file, double until) {
  const std::string expected = hash_with_unit(file, until, "sse2");
  EXPECT_EQ(expected.size(), 16u) << file;
  for (const char* unit : {"avx2", "avx512", ""}) {
    const std::string hash = hash_with_unit(file, until, unit);
    if (hash.empty()) continue;
    EXPECT_EQ(hash, expected) << file << ", " << unit;
  }
}

}  // namespace sinew::test
