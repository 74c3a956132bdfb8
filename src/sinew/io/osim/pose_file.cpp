#include "sinew/io/osim/pose_file.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "sinew/core/error.hpp"
#include "sinew/core/names.hpp"

namespace sinew {
namespace {

using nlohmann::json;

[[noreturn]] void fail(const std::string& source, const std::string& element,
                       const std::string& problem, const std::string& remedy) {
  throw Error(element, problem, remedy).with_location(source, 0);
}

}  // namespace

PoseFile::PoseFile(const MotionTarget& target, std::string_view text, std::string source)
    : source_(std::move(source)), coupled_(target.coupled) {
  root_ = json::parse(text, nullptr, false);
  if (root_.is_discarded() || !root_.is_object())
    fail(source_, "poses", "the file is not a JSON object", "give \"coordinates\" and \"poses\"");
  if (!root_.contains("poses") || !root_["poses"].is_array())
    fail(source_, "poses", "there is no list \"poses\"", "give at least one pose");
  read_coordinates(target.coordinates);
}

VecX PoseFile::read(const json& pose, const char* key, VecX otherwise, size_t number) const {
  const std::string element = "pose " + std::to_string(number);
  if (!pose.is_object()) fail(source_, element, "is not an object", "give it \"q\"");
  if (!pose.contains(key)) return otherwise;
  const json& list = pose[key];
  if (!list.is_array() || list.size() != places_.size())
    fail(source_, element,
         "its \"" + std::string(key) + "\" is not a list of " + std::to_string(places_.size()) +
             " numbers",
         "give one per coordinate");
  for (size_t k = 0; k < list.size(); ++k) {
    if (!list[k].is_number() || !std::isfinite(list[k].get<double>()))
      fail(source_, element, "its \"" + std::string(key) + "\" has an entry that is not a number",
           "give finite numbers");
    otherwise[places_[k]] = list[k].get<double>();
  }
  return otherwise;
}

void PoseFile::follow_couplers(const json& pose, VecX& q, VecX& u, VecX& udot) const {
  const std::array said = {q, u, udot};
  coupled_.follow(q, u, udot);
  const std::array keys = {"q", "u", "udot"};
  const std::array values = {&q, &u, &udot};
  for (size_t i = 0; i < keys.size(); ++i)
    if (pose.contains(keys[i]))
      for (const int place : places_) (*values[i])[place] = said[i][place];
}

std::vector<double> PoseFile::activations(const json& pose, size_t number) const {
  std::vector<double> out;
  const auto add = [&](const json& value) {
    if (!value.is_number() || !(value.get<double>() >= 0 && value.get<double>() <= 1))
      fail(source_, "pose " + std::to_string(number), "has an activation outside 0 to 1",
           "give a number from 0 to 1");
    out.push_back(value.get<double>());
  };
  if (pose.contains("hill")) {
    for (const json& entry : pose["hill"])
      add(entry.is_object() && entry.contains("activation") ? entry["activation"] : json());
  } else if (pose.contains("activation")) {
    if (pose["activation"].is_array())
      for (const json& value : pose["activation"]) add(value);
    else
      add(pose["activation"]);
  }
  return out;
}

void PoseFile::read_coordinates(const std::vector<Coordinate>& coordinates) {
  std::vector<std::string> known;
  for (const Coordinate& c : coordinates) known.push_back(c.name);
  if (!root_.contains("coordinates")) {
    names_ = known;
    for (size_t k = 0; k < known.size(); ++k) places_.push_back(static_cast<int>(k));
    return;
  }
  for (const json& entry : root_["coordinates"]) {
    const json& name = entry.is_object() && entry.contains("name") ? entry["name"] : entry;
    if (!name.is_string())
      fail(source_, "coordinates", "an entry is not a name",
           "give names, or objects with a \"name\"");
    names_.push_back(name.get<std::string>());
    const auto found = std::find(known.begin(), known.end(), names_.back());
    if (found == known.end())
      fail(source_, "coordinate '" + names_.back() + "'", "is not one of the model's",
           suggest(names_.back(), known));
    places_.push_back(static_cast<int>(found - known.begin()));
    if (std::count(places_.begin(), places_.end(), places_.back()) > 1)
      fail(source_, "coordinate '" + names_.back() + "'", "is named twice", "name it once");
  }
}

}  // namespace sinew
