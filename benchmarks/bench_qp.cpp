// Times the quadratic-program solver on problems of the size that contact gives: 20 unknowns, 40
// inequalities; cold, and from the solution of a problem that differs by a hundredth.
#include <benchmark/benchmark.h>

#include <random>
#include <vector>

#include "sinew/math/qp.hpp"

namespace bench {
namespace {

using sinew::MatX;
using sinew::VecX;

struct Problem {
  MatX H, A;
  VecX c, b, x, multipliers;  // x, multipliers: the solution for a c that is a hundredth off
  sinew::QpProblem view() const { return {.H = H, .c = c, .A_i = A, .b_i = b}; }
};

std::vector<Problem> make_problems() {
  std::mt19937 engine(1);
  std::normal_distribution<double> normal;
  const auto random = [&](int rows, int cols) {
    return MatX::NullaryExpr(rows, cols, [&] { return normal(engine); }).eval();
  };
  sinew::QpSolver solver;
  std::vector<Problem> problems(16);  // enough to defeat branch predictors
  for (Problem& p : problems) {
    const MatX B = random(20, 20);
    p.H = B * B.transpose() + MatX::Identity(20, 20);
    p.A = random(40, 20);
    p.b = VecX::Constant(40, 0.1);
    p.c = 5 * random(20, 1);
    const sinew::QpResult result = solver.solve(p.view());
    p.x = result.x;
    p.multipliers = result.multipliers;
    p.c += 0.01 * p.c.norm() * random(20, 1).normalized();
  }
  return problems;
}

void solve(benchmark::State& state, bool warm) {
  const std::vector<Problem> problems = make_problems();
  sinew::QpSolver solver;
  double iterations = 0;
  std::size_t k = 0;
  for (auto _ : state) {
    const Problem& p = problems[k++ % problems.size()];
    const sinew::QpWarmStart start{p.x, p.multipliers};
    const sinew::QpResult result = solver.solve(p.view(), warm ? &start : nullptr);
    if (result.status != sinew::QpStatus::optimal) state.SkipWithError("not optimal");
    iterations += result.iterations;
  }
  state.counters["iterations"] = benchmark::Counter(iterations, benchmark::Counter::kAvgIterations);
}

BENCHMARK_CAPTURE(solve, cold, false)->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(solve, warm, true)->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace bench

BENCHMARK_MAIN();
