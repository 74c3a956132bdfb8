"""What a user must be able to rely on beside the code: sources and licences of models, notices, one version everywhere."""

import json
import re
import unicodedata
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def read(path):
    return (ROOT / path).read_text(encoding="utf-8")


def cmake_version():
    return re.search(r"project\(sinew VERSION (\S+)", read("CMakeLists.txt"))[1]


class Versions(unittest.TestCase):
    def test_the_citation_and_the_page_have_the_version_of_the_build(self):
        self.assertEqual(re.search(r"^version: (.*)$", read("CITATION.cff"), re.M)[1], cmake_version())
        self.assertEqual(json.loads(read("web/package.json"))["version"], cmake_version())
        self.assertEqual(json.loads(read("web/package-lock.json"))["version"], cmake_version())


class Citation(unittest.TestCase):
    def test_has_what_its_format_requires(self):
        text = read("CITATION.cff")
        self.assertTrue(text.startswith("cff-version: 1.2.0\n"))
        for key in ("message", "title", "authors", "license"):
            self.assertRegex(text, rf"(?m)^{key}:")
        references = text.split("references:\n")[1].split("\n  - type: ")
        self.assertEqual(len(references), 5)
        for reference in references:
            for key in ("title", "authors", "year"):
                self.assertRegex(reference, rf"(?m)^    {key}:")


class Models(unittest.TestCase):
    def test_every_folder_names_sources_and_a_licence(self):
        folders = [path for path in (ROOT / "models").iterdir() if path.is_dir()] + [ROOT / "scenes", ROOT / "tasks", ROOT / "studies"]
        for folder in folders:
            readme = (folder / "README.md").read_text(encoding="utf-8")
            self.assertRegex(readme, r"Apache-2\.0", folder.name)
            self.assertRegex(readme, r"(?i)where the numbers come from|sources", folder.name)

    def test_every_network_has_a_card_with_data_and_training(self):
        networks = sorted((ROOT / "models/neural").glob("*.mlp"))
        self.assertGreaterEqual(len(networks), 4)
        overview = read("models/neural/README.md")
        for network in networks:
            card = network.with_suffix(".md").read_text(encoding="utf-8")
            self.assertIn("| data |", card)
            self.assertIn("| training |", card)
            self.assertIn(f"({network.stem}.md)", overview)

    def test_scenes_and_tasks_after_the_work_of_others_are_under_its_licence(self):
        notices = read("THIRD_PARTY_NOTICES.md")
        for folder in ("scenes", "tasks"):
            overview = read(f"{folder}/README.md")
            for file in (ROOT / folder).glob("*.json"):
                citation = json.loads(file.read_text(encoding="utf-8")).get("citation", "")
                if "github.com" not in citation and "OpenSim" not in citation:
                    continue
                name = "redmax-*" if file.stem.startswith("redmax-") else file.stem
                for text in (notices, overview):
                    self.assertIn(f"`{name}`", text)

    def test_data_of_tasks_have_sources(self):
        overview = read("tasks/README.md")
        for file in (ROOT / "tasks/data").iterdir():
            self.assertIn(f"`data/{file.name}`", overview)


class Notices(unittest.TestCase):
    def setUp(self):
        self.notices = read("THIRD_PARTY_NOTICES.md")

    def test_name_every_package_inside_the_page_with_its_version(self):
        locked = json.loads(read("web/package-lock.json"))["packages"]
        for name in json.loads(read("web/package.json"))["dependencies"]:
            version = re.escape(locked[f"node_modules/{name}"]["version"])
            self.assertRegex(self.notices, rf"\[{re.escape(name)}\]\([^)]*\) \| {version} \|")

    def test_name_every_library_that_the_build_looks_for(self):
        cmake = read("CMakeLists.txt")
        libraries = re.findall(r"find_package\((\w+)", cmake) + re.findall(r"pkg_check_modules\(([\w-]+)", cmake)
        for library in set(libraries) - {"Threads", "PkgConfig"}:
            self.assertIn(f"[{library}](", self.notices)


class Readme(unittest.TestCase):
    def test_shows_a_program_that_the_tests_build_and_run(self):
        program = re.search(r"```cpp\n(.*?)```", read("README.md"), re.S)[1]
        self.assertEqual(program, read("tests/install/consumer/pendulum.cpp"))

    def test_of_the_examples_names_each_of_them(self):
        overview = read("examples/README.md")
        examples = sorted(path.name for path in (ROOT / "examples").glob("*.cpp"))
        self.assertGreaterEqual(len(examples), 8)
        self.assertEqual(re.findall(r"\((\w+\.cpp)\)", overview), examples)


def pages():
    folders = ("docs", "examples", "models", "scenes", "tasks", "benchmarks")
    return list(ROOT.glob("*.md")) + [path for folder in folders for path in (ROOT / folder).rglob("*.md")]


class Words(unittest.TestCase):
    def test_sources_have_names_and_studies_too(self):
        sources = [path for folder in ("src", "tests", "apps", "examples") for path in (ROOT / folder).rglob("*.[ch]pp")]
        for page in pages() + sources:
            if page.name in ("validation.md", "CHANGELOG.md"):
                continue
            found = re.search(r"\b00\d (Eqs?\b|§|Figs?\b|section|Algorithm)|\bW\d\b(?! =)", page.read_text(encoding="utf-8"))
            self.assertIsNone(found, f"{page.relative_to(ROOT)}: {found and found[0]}")

    def test_lines_of_text_have_at_most_120_letters(self):
        for page in pages():
            if page.name == "CHANGELOG.md" or "results" in page.parts or "gallery" in page.parts:
                continue
            text = re.sub(r"^```.*?^```", "", page.read_text(encoding="utf-8"), flags=re.M | re.S)
            for line in text.splitlines():
                if line.startswith(("|", "    ", "![")):  # tables, formulas and commands, pictures
                    continue
                letters = sum(not unicodedata.combining(c) for c in line)
                self.assertLessEqual(letters, 120, f"{page.relative_to(ROOT)}: {line}")


class Links(unittest.TestCase):
    def test_of_the_projects_own_pages_lead_somewhere(self):
        for page in pages():
            for target in re.findall(r"\]\(([^)\s]+)\)", page.read_text(encoding="utf-8")):
                if re.match(r"[a-z]+:", target) or target.startswith("#"):
                    continue
                self.assertTrue((page.parent / target.split("#")[0]).exists(), f"{page.relative_to(ROOT)}: {target}")


if __name__ == "__main__":
    unittest.main()
