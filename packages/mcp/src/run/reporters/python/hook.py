# Runs at the start of every Python process of a run, in place of a module `sitecustomize`. If the project has such a
# module, it is loaded too. Provides the plugin when pytest loads it, and listens to unittest when a program loads it.
import os
import sys

PLUGIN = "argus_pytest"
RUNNER = "unittest.runner"


def run(name, module_globals):
    with open(os.path.join(FOLDER, name)) as source:
        exec(compile(source.read(), "<argus " + name + ">", "exec"), module_globals)


def listen():
    """To what unittest's package has loaded before its runner."""
    recorder = {"__name__": "argus_unittest"}
    run("unittest_recorder.py", recorder)
    suite, case = sys.modules["unittest.suite"], sys.modules["unittest.case"]
    recorder["Recorder"]().listen(suite.BaseTestSuite, case.TestCase)


class Finder(object):
    def find_spec(self, name, path=None, target=None):
        if name == PLUGIN:
            from importlib.machinery import ModuleSpec

            return ModuleSpec(name, self)
        if name == RUNNER and "ARGUS_REPORT_DIR" in os.environ:
            from importlib.machinery import PathFinder

            spec = PathFinder.find_spec(name, path)
            load = spec.loader.exec_module

            def exec_module(module):
                load(module)
                listen()

            spec.loader.exec_module = exec_module
            return spec
        return None

    def create_module(self, spec):
        return None

    def exec_module(self, module):
        run("pytest_plugin.py", module.__dict__)

    # Python 2 calls these methods.
    def find_module(self, name, path=None):
        return self if name == PLUGIN or (name == RUNNER and "ARGUS_REPORT_DIR" in os.environ) else None

    def load_module(self, name):
        if name == PLUGIN:
            module = sys.modules.setdefault(name, type(sys)(name))
            self.exec_module(module)
        else:
            sys.meta_path.remove(self)
            module = __import__(name, fromlist=["TextTestRunner"])
            sys.meta_path.insert(0, self)
            listen()
        return module


def give_way():
    """Its folder is no part of what the program sees, and a module of the same name is loaded in its place."""
    own = os.path.join(FOLDER, "path")
    sys.path[:] = [entry for entry in sys.path if os.path.abspath(entry) != own]
    # Python 2 clears a module without references.
    this = Finder.module = sys.modules.pop(__name__)
    try:
        __import__(__name__)
    except ImportError as error:
        sys.modules[__name__] = this
        if getattr(error, "name", __name__) != __name__:
            raise


sys.meta_path.insert(0, Finder())
give_way()
