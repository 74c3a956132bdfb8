#include <gtest/gtest.h>

#include <filesystem>
#include <set>

#include "fuzz/readers.hpp"
#include "sinew/io/json/scene_keys.hpp"
#include "sinew/io/scene/scene.hpp"
#include "support/source_dir.hpp"

/// The fuzzers' initial files and earlier findings, read without a fuzzer.

namespace sinew {
namespace corpus_test {

using fuzz::Reader;

class Corpus : public testing::TestWithParam<Reader> {};

TEST_P(Corpus, SurvivesAndIsAcceptedInPart) {
  int accepted = 0;
  for (const auto& file : fuzz::corpus_files(GetParam())) {
    SCOPED_TRACE(file.string());
    EXPECT_NO_THROW(accepted += fuzz::survives(GetParam(), read_text_file(file)));
  }
  // A corpus that the reader refuses as a whole would start no fuzzer behind the first check.
  EXPECT_GT(accepted, 0);
}

INSTANTIATE_TEST_SUITE_P(OfReader, Corpus, testing::ValuesIn(fuzz::readers()),
                         [](const auto& test) { return std::string(test.param.name); });

TEST(FuzzCorpus, HasAFolderForEveryReaderAndNoOther) {
  std::set<std::string> names, folders;
  for (const Reader& reader : fuzz::readers()) names.insert(reader.name);
  for (const auto& entry :
       std::filesystem::directory_iterator(test::source_dir() + "/tests/fuzz/corpus"))
    folders.insert(entry.path().filename().string());
  EXPECT_EQ(names, folders);
}

TEST(FuzzCorpus, ItsScenesHaveEveryKeyOfStrands) {
  // Mutations hardly invent keys: what no scene has they never reach.
  std::string text;
  for (const auto& file : fuzz::corpus_files(fuzz::reader_of("scene")))
    text += read_text_file(file);
  const auto has = [&](const std::string& what) { return text.find(what) != std::string::npos; };
  namespace keys = scene_keys;
  for (const ObjectKind& type : keys::kNodeTypes)
    EXPECT_TRUE(has("\"type\": \"" + std::string(type.name.substr(5)) + '"')) << type.name;
  for (const ObjectKind& kind :
       {keys::kStrand, keys::kStrandPoint, keys::kPassedGuide, keys::kRimPoint, keys::kGuide,
        keys::kTube, keys::kTubeCurve, keys::kGuideFriction, keys::kTensionTable, keys::kTendon})
    for (const SceneKey& key : kind.keys)
      EXPECT_TRUE(has('"' + std::string(key.name) + "\": ")) << kind.name << ' ' << key.name;
  for (const char* value : {"slip", "grip", "knot", "release", "wrapped", "capped", "lumped"})
    EXPECT_TRUE(has('"' + std::string(value) + '"')) << value;
  EXPECT_TRUE(has("\"creep\": 0,"));
}

}  // namespace corpus_test
}  // namespace sinew
