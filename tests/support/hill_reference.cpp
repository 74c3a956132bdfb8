#include "support/hill_reference.hpp"

#include "sinew/io/osim/osim_model.hpp"
#include "support/reference.hpp"

namespace sinew::test {

std::map<std::string, HillMuscle> reference_hill_muscles(const std::string& model) {
  std::map<std::string, HillMuscle> muscles;
  for (const OsimPath& path :
       load_osim(*reference_dir() / "opensim/models" / (model + ".osim")).paths)
    if (path.hill) muscles[path.path.name] = path.hill->muscle;
  return muscles;
}

}  // namespace sinew::test
