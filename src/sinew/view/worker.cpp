#include "sinew/view/worker.hpp"

#include <algorithm>

namespace sinew {
namespace {

using Clock = std::chrono::steady_clock;

constexpr double kFrameTime = 1.0 / 60;  // [s]
constexpr double kBudget = 0.03;         // of simulation between two looks at the commands [s]
constexpr size_t kMostTasks = 256;

double seconds_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

Clock::duration duration_of(double seconds) {
  return std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
}

}  // namespace

ViewWorker::ViewWorker(std::unique_ptr<ViewSession> session) : session_(std::move(session)) {
  thread_ = std::thread([this] { run(); });
}

ViewWorker::~ViewWorker() {
  {
    const std::lock_guard lock(mutex_);
    stop_ = closed_ = true;
  }
  wake_.notify_all();
  fresh_.notify_all();
  thread_.join();
}

void ViewWorker::close() {
  {
    const std::lock_guard lock(mutex_);
    closed_ = true;
  }
  fresh_.notify_all();
}

bool ViewWorker::closed() {
  const std::lock_guard lock(mutex_);
  return closed_;
}

std::string ViewWorker::ask(std::function<std::string(ViewSession&)> what) {
  std::future<Answer> answer;
  {
    const std::lock_guard lock(mutex_);
    if (stop_ || tasks_.size() >= kMostTasks)
      throw Error("viewer", "has too much to do", "wait a moment");
    tasks_.emplace_back([what = std::move(what)](ViewSession& session) -> Answer {
      try {
        return what(session);
      } catch (const Error& error) {
        return error;
      }
    });
    answer = tasks_.back().get_future();
  }
  wake_.notify_one();
  Answer out = answer.get();
  if (const Error* error = std::get_if<Error>(&out)) throw Error(*error);
  return std::get<std::string>(std::move(out));
}

nlohmann::ordered_json ViewWorker::command(nlohmann::json command) {
  return nlohmann::ordered_json::parse(
      ask([command = std::move(command)](ViewSession& s) { return s.apply(command).dump(); }));
}

std::string ViewWorker::page() {
  return ask([](ViewSession& session) {
    ReportData data;
    const nlohmann::ordered_json header = session.describe(data);
    const LoadedModel& model = session.model();
    return make_page(model.title.empty() ? model.name : model.title, header, data);
  });
}

std::optional<ViewWorker::Frame> ViewWorker::wait_for_frame(std::uint64_t after, double seconds) {
  std::unique_lock lock(mutex_);
  fresh_.wait_for(lock, duration_of(seconds), [&] { return closed_ || frame_.number > after; });
  if (closed_ || frame_.number <= after) return std::nullopt;
  return frame_;
}

void ViewWorker::publish() {
  auto text = std::make_shared<const std::string>(session_->frame());
  {
    const std::lock_guard lock(mutex_);
    ++frame_.number;
    frame_.text = std::move(text);
  }
  fresh_.notify_all();
}

void ViewWorker::run() {
  publish();
  Clock::time_point last = Clock::now();
  for (;;) {
    std::deque<Task> tasks;
    {
      std::unique_lock lock(mutex_);
      const auto due = [this] { return stop_ || !tasks_.empty(); };
      if (session_->moving())
        wake_.wait_until(lock, last + duration_of(kFrameTime), due);
      else
        wake_.wait(lock, due);
      if (stop_) break;
      tasks.swap(tasks_);
    }
    const bool was_moving = session_->moving();
    for (Task& task : tasks) task(*session_);
    // Time that passed while it stood still does not count.
    const double passed = was_moving ? std::min(seconds_since(last), 2 * kBudget) : 0;
    last = Clock::now();
    session_->advance(passed, kBudget);
    publish();
  }
  // Promises that are never kept: whoever waits gets a broken one.
  const std::lock_guard lock(mutex_);
  tasks_.clear();
}

}  // namespace sinew
