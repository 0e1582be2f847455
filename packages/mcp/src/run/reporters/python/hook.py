# Runs at the start of every Python process of a run, instead of a module `sitecustomize`. Then loads the project's own
# module of this name, if there is one. Provides the plugin that pytest loads, and records the tests of unittest when a
# program loads unittest.
import os
import sys

PYTEST_PLUGIN = "argus_pytest"
UNITTEST_RUNNER = "unittest.runner"


def run_file(name, module_globals):
    with open(os.path.join(FOLDER, name)) as source:
        exec(compile(source.read(), "<argus " + name + ">", "exec"), module_globals)


def record_unittest():
    """Records the tests of unittest. The package loads the classes that are used here before its runner."""
    recorder = {"__name__": "argus_unittest"}
    run_file("unittest_recorder.py", recorder)
    suite, case = sys.modules["unittest.suite"], sys.modules["unittest.case"]
    recorder["Recorder"]().listen(suite.BaseTestSuite, case.TestCase)


class ModuleFinder(object):
    def find_spec(self, name, path=None, target=None):
        if name == PYTEST_PLUGIN:
            from importlib.machinery import ModuleSpec

            return ModuleSpec(name, self)
        if name == UNITTEST_RUNNER and "ARGUS_REPORT_DIR" in os.environ:
            from importlib.machinery import PathFinder

            spec = PathFinder.find_spec(name, path)
            load = spec.loader.exec_module

            def exec_module(module):
                load(module)
                record_unittest()

            spec.loader.exec_module = exec_module
            return spec
        return None

    def create_module(self, spec):
        return None

    def exec_module(self, module):
        run_file("pytest_plugin.py", module.__dict__)

    # Python 2 calls these methods.
    def find_module(self, name, path=None):
        return self if name == PYTEST_PLUGIN or (name == UNITTEST_RUNNER and "ARGUS_REPORT_DIR" in os.environ) else None

    def load_module(self, name):
        if name == PYTEST_PLUGIN:
            module = sys.modules.setdefault(name, type(sys)(name))
            self.exec_module(module)
        else:
            sys.meta_path.remove(self)
            module = __import__(name, fromlist=["TextTestRunner"])
            sys.meta_path.insert(0, self)
            record_unittest()
        return module


def load_own_sitecustomize():
    """Hides the folder of this module from the program, and loads the project's module of the same name."""
    hook_folder = os.path.join(FOLDER, "path")
    sys.path[:] = [entry for entry in sys.path if os.path.abspath(entry) != hook_folder]
    # Keep a reference, because Python 2 clears a module without references.
    this = ModuleFinder.module = sys.modules.pop(__name__)
    try:
        __import__(__name__)
    except ImportError as error:
        sys.modules[__name__] = this
        if getattr(error, "name", __name__) != __name__:
            raise


sys.meta_path.insert(0, ModuleFinder())
load_own_sitecustomize()
