// Times every kernel of every engine on every model in one process, after checking that the engines
// agree; the cost of constraints; and every integrator of Sinew. Google Benchmark interleaves the
// repetitions; scripts/bench_table.py makes the table.
#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <span>

#include "agreement.hpp"
#include "constrained_trees.hpp"
#include "engine.hpp"
#include "integrators.hpp"

namespace bench {
namespace {

constexpr Kernel kConstrainedKernels[] = {Kernel::forward_dynamics, Kernel::step};
constexpr int kConstrainedSamples = 16;
constexpr int kChains[] = {2, 5, 10, 20, 50, 100, 200, 500, 1000};

struct Model {
  TreeSpec tree;
  std::vector<Sample> samples;
  std::vector<EngineInfo> infos;
  std::vector<std::unique_ptr<Engine>> engines;
  std::span<const Kernel> kernels;
};

Model make_model(const TreeSpec& tree, const std::vector<Sample>& samples,
                 const std::vector<EngineInfo>& infos, std::span<const Kernel> kernels) {
  Model model{tree, samples, infos, {}, kernels};
  for (const EngineInfo& info : infos) {
    model.engines.push_back(info.make(tree));
    model.engines.back()->load(model.samples);
  }
  return model;
}

Model make_model(const TreeSpec& tree, const std::vector<EngineInfo>& infos) {
  // Enough samples to defeat branch predictors, few enough to stay in the cache.
  const int count = std::clamp(1000 / tree.dof_count(), 2, 16);
  return make_model(tree, random_samples(tree, count), infos, kKernels);
}

/// The model with its constraints and without, for the engines that support both.
void add_models(const ConstrainedModel& pair, std::vector<EngineInfo> infos,
                std::vector<Model>& models) {
  infos.erase(
      std::remove_if(infos.begin(), infos.end(),
                     [](const auto& info) { return info.constraints == Constraints::none; }),
      infos.end());
  for (const TreeSpec* tree : {&pair.tree, &pair.open})
    models.push_back(make_model(*tree, pair.samples, infos, kConstrainedKernels));
  benchmark::AddCustomContext("open/" + pair.tree.name, pair.open.name);
}

/// True if all engines give the same answers; accelerations under soft constraints need not.
bool check_agreement(Model& model) {
  const std::vector<EngineInfo>& infos = model.infos;
  // Rounding is magnified by the condition of M, which grows as n⁴ along a chain.
  const double tolerance = 1e-9 * std::max(1.0, std::pow(model.tree.dof_count() / 200.0, 4));
  bool agreed = true;
  for (size_t e = 1; e < infos.size(); ++e) {
    const Agreement agreement = compare(*model.engines[0], *model.engines[e], 2);
    const bool soft = model.tree.constrained() && infos[e].constraints == Constraints::soft;
    agreed &=
        std::max({soft ? 0 : agreement.acceleration, agreement.force, agreement.mass}) <= tolerance;
    const std::string text = fmt::format("{:.1e} {:.1e} {:.1e}", agreement.acceleration,
                                         agreement.force, agreement.mass);
    benchmark::AddCustomContext(fmt::format("agreement/{}/{}", model.tree.name, infos[e].name),
                                text);
    fmt::print(stderr, "{:<14} {:<8} differs from {} by {}\n", model.tree.name, infos[e].name,
               infos[0].name, text);
  }
  return agreed;
}

/// Steps start again before constant torques make anything spin too fast.
constexpr size_t kStepsPerRun = 1000;

void add_benchmark(const std::string& name, Engine& engine, Kernel kernel, size_t samples) {
  benchmark::RegisterBenchmark(name.c_str(), [&engine, kernel, samples](benchmark::State& state) {
    engine.reset();
    // One pass over the samples is one batch of iterations: times are per call.
    size_t calls = 0;
    while (state.KeepRunningBatch(static_cast<benchmark::IterationCount>(samples))) {
      engine.run(kernel);
      calls += samples;
      if (kernel != Kernel::step || calls < kStepsPerRun) continue;
      state.PauseTiming();
      engine.reset();
      calls = 0;
      state.ResumeTiming();
    }
  })->Unit(benchmark::kMicrosecond);
}

}  // namespace
}  // namespace bench

int main(int argc, char** argv) {
  using namespace bench;
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 1;

  const std::vector<EngineInfo> infos = engines();
  for (const EngineInfo& info : infos)
    benchmark::AddCustomContext(fmt::format("engine/{}", info.name),
                                info.version + "; step: " + info.step_method);
  benchmark::AddCustomContext("compiler", BENCH_COMPILER);
  benchmark::AddCustomContext("flags", BENCH_FLAGS);

  std::vector<Model> models;
  for (const int n : kChains) models.push_back(make_model(chain(n), infos));
  models.push_back(make_model(human(), infos));
  for (const auto make : {four_bar, gait}) add_models(make(kConstrainedSamples), infos, models);
  bool agreed = true;
  for (Model& model : models) {
    agreed &= check_agreement(model);
    for (size_t e = 0; e < model.engines.size(); ++e)
      for (const Kernel kernel : model.kernels)
        if (model.engines[e]->offers(kernel))
          add_benchmark(
              fmt::format("{}/{}/{}", to_string(kernel), model.tree.name, model.infos[e].name),
              *model.engines[e], kernel, model.samples.size());
  }
  if (!agreed) {
    fmt::print(stderr,
               "The engines disagree: they do not simulate the same thing. Nothing was timed.\n");
    return 1;
  }
  register_integrators();
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
