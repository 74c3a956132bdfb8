#include "sinew/io/osim/model_parts.hpp"

#include "sinew/io/osim/muscles.hpp"

namespace sinew {
namespace {

class MuscleCounter : public pugi::xml_tree_walker {
 public:
  explicit MuscleCounter(const OsimDocument& document) : document_(document) {}
  int count = 0;
  bool for_each(pugi::xml_node& node) override {
    const bool object = *node.attribute("name").value() != 0;
    count += object && is_osim_muscle(node.name()) && !document_.is_default(node);
    return true;
  }

 private:
  const OsimDocument& document_;
};

}  // namespace

std::string set_of(std::string_view type) {
  if (type == "Body") return "BodySet";
  if (type == "Marker") return "MarkerSet";
  if (type == "PhysicalOffsetFrame") return "";
  if (type.starts_with("Contact")) return "ContactGeometrySet";
  for (const char* ending : {"Joint", "Constraint", "Controller", "Probe"})
    if (type.ends_with(ending)) return std::string(ending) + "Set";
  return "ForceSet";
}

std::vector<OsimElement> model_parts(const OsimDocument& document, const char* set) {
  const OsimElement model(document, document.model());
  std::vector<OsimElement> out = model.objects(set);
  for (const char* components : {"components", "ComponentSet", "MiscModelComponentSet"})
    for (const OsimElement& element : model.objects(components))
      if (set_of(element.type()) == set) out.push_back(element);
  return out;
}

int count_osim_muscles(const OsimDocument& document) {
  MuscleCounter counter(document);
  pugi::xml_node model = document.model();
  model.traverse(counter);
  return counter.count;
}

}  // namespace sinew
