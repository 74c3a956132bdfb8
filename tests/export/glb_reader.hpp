#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace sinew::test {

/// A .glb file taken apart, with checks of everything that the format requires of its bytes.
struct Glb {
  nlohmann::json json;
  std::string binary;

  explicit Glb(const std::string& bytes) {
    if (bytes.size() < 20) {
      ADD_FAILURE() << "too short";
      return;
    }
    const auto word = [&](size_t at) {
      std::uint32_t out = 0;
      std::memcpy(&out, &bytes.at(at), 4);
      return out;
    };
    EXPECT_EQ(bytes.substr(0, 4), "glTF");
    EXPECT_EQ(word(4), 2u);
    EXPECT_EQ(word(8), bytes.size());
    const size_t text = word(12);
    EXPECT_EQ(text % 4, 0u);
    EXPECT_EQ(bytes.substr(16, 4), "JSON");
    json = nlohmann::json::parse(bytes.substr(20, text));
    if (20 + text < bytes.size()) {
      const size_t size = word(20 + text);
      EXPECT_EQ(size % 4, 0u);
      EXPECT_EQ(bytes.substr(24 + text, 4), std::string("BIN\0", 4));
      EXPECT_EQ(28 + text + size, bytes.size());
      binary = bytes.substr(28 + text);
      EXPECT_GE(size, json["buffers"][0]["byteLength"].get<size_t>());
      EXPECT_LT(size, json["buffers"][0]["byteLength"].get<size_t>() + 4);
    }
    check();
  }

  static size_t component_size(int type) {
    return type == 5126 || type == 5125 ? 4 : type == 5123 ? 2 : 1;
  }
  static size_t component_count(const std::string& type) {
    return type == "SCALAR" ? 1 : type == "VEC3" ? 3 : type == "VEC4" ? 4 : 16;
  }

  /// The numbers of an accessor.
  std::vector<double> read(size_t k) const {
    const nlohmann::json& a = json["accessors"].at(k);
    const int type = a["componentType"];
    const size_t size = component_size(type);
    const size_t count = a["count"].get<size_t>() * component_count(a["type"]);
    const size_t at =
        json["bufferViews"].at(a["bufferView"].get<size_t>())["byteOffset"].get<size_t>() +
        a.value("byteOffset", size_t{0});
    std::vector<double> out;
    for (size_t i = 0; i < count; ++i) {
      if (type == 5126) {
        float value;
        std::memcpy(&value, &binary.at(at + size * i), 4);
        out.push_back(value);
      } else {
        std::uint32_t value = 0;
        std::memcpy(&value, &binary.at(at + size * i), size);
        out.push_back(value);
      }
    }
    return out;
  }

  const nlohmann::json* find_node(const std::string& name) const {
    for (const auto& node : json["nodes"])
      if (node["name"] == name) return &node;
    return nullptr;
  }

 private:
  void check() const {
    for (const auto& view : json.value("bufferViews", nlohmann::json::array())) {
      EXPECT_EQ(view["byteOffset"].get<size_t>() % 4, 0u);
      EXPECT_LE(view["byteOffset"].get<size_t>() + view["byteLength"].get<size_t>(),
                json["buffers"][0]["byteLength"].get<size_t>());
    }
    const auto& accessors = json.value("accessors", nlohmann::json::array());
    for (size_t k = 0; k < accessors.size(); ++k) {
      const auto& a = accessors[k];
      const size_t components = component_count(a["type"]);
      const size_t size = component_size(a["componentType"]);
      const size_t offset = a.value("byteOffset", size_t{0});
      EXPECT_EQ(offset % size, 0u);
      EXPECT_LE(offset + a["count"].get<size_t>() * components * size,
                json["bufferViews"].at(a["bufferView"].get<size_t>())["byteLength"].get<size_t>());
      if (!a.contains("min")) continue;
      const std::vector<double> values = read(k);
      for (size_t c = 0; c < components; ++c) {
        double low = values[c], high = values[c];
        for (size_t i = c; i < values.size(); i += components) {
          low = std::min(low, values[i]);
          high = std::max(high, values[i]);
        }
        EXPECT_EQ(static_cast<float>(low), a["min"][c].get<float>());
        EXPECT_EQ(static_cast<float>(high), a["max"][c].get<float>());
      }
    }
    for (const auto& mesh : json.value("meshes", nlohmann::json::array()))
      for (const auto& primitive : mesh["primitives"]) {
        const auto& position = accessors.at(primitive["attributes"]["POSITION"].get<size_t>());
        EXPECT_TRUE(position.contains("min") && position.contains("max"));
        for (const auto& [name, of] : primitive["attributes"].items())
          EXPECT_EQ(accessors.at(of.get<size_t>())["count"], position["count"]) << name;
        for (const double k : read(primitive["indices"]))
          EXPECT_LT(k, position["count"].get<double>());
        EXPECT_LT(primitive["material"], json["materials"].size());
      }
    for (const auto& animation : json.value("animations", nlohmann::json::array()))
      for (const auto& channel : animation["channels"]) {
        const auto& sampler = animation["samplers"].at(channel["sampler"].get<size_t>());
        const std::vector<double> t = read(sampler["input"]);
        EXPECT_GE(t.front(), 0);
        for (size_t k = 1; k < t.size(); ++k) EXPECT_LT(t[k - 1], t[k]);
        EXPECT_EQ(accessors.at(sampler["output"].get<size_t>())["count"].get<size_t>() % t.size(),
                  0u);
        EXPECT_LT(channel["target"]["node"], json["nodes"].size());
      }
  }
};

}  // namespace sinew::test
