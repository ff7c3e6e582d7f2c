"""What Package.swift says of targets and products, for the checks."""

import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "script/parts/test"))
sys.dont_write_bytecode = True
import touched

# Libraries that every program has.
USUAL = {"m"}


class Manifest:
    def __init__(self):
        package = touched.manifest(ROOT)
        self.targets = {target["name"]: target for target in package["targets"]}
        self.products = {product["name"]: product for product in package["products"]}
        self.traits = package.get("traits", [])

    def dependencies(self, name):
        """The targets that a target depends on."""
        return [names[0] for each in self.targets[name]["dependencies"] for names in each.values()]

    def closure(self, names):
        """The targets, and all that they depend on."""
        found, left = set(), list(names)
        while left:
            name = left.pop()
            if name not in found:
                found.add(name)
                left += self.dependencies(name)
        return found

    def own_links(self, name):
        """The libraries that a target itself links."""
        kinds = [setting["kind"] for setting in self.targets[name]["settings"]]
        return {kind["linkedLibrary"]["_0"] for kind in kinds if "linkedLibrary" in kind} - USUAL

    def links(self, names):
        """The libraries that a program of these targets links."""
        return set().union(*(self.own_links(name) for name in self.closure(names)))

    def links_of_products(self, names):
        return self.links(target for name in names for target in self.products[name]["targets"])
