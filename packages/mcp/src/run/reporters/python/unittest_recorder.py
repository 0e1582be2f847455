# Records tests that run with unittest, and writes a report, because unittest has none. The tests may run with Django,
# with a program of the project, or with `python -m unittest`. The recorder prints nothing, and removes the report
# folder from the environment before a test runs. hook.py loads this file.
import os
import sys
import time

# unittest hides frames of modules with this variable from tracebacks.
__unittest = True


def to_project_path(path, root):
    if not path:
        return None
    try:
        return os.path.relpath(path, root).replace(os.sep, "/")
    except ValueError:
        return path.replace(os.sep, "/")


def find_source(module):
    """Returns the file of a module that could not be loaded."""
    tail = module.replace(".", os.sep)
    for folder in sys.path:
        for path in (os.path.join(folder, tail + ".py"), os.path.join(folder, tail, "__init__.py")):
            if os.path.isfile(path):
                return path
    return None


def find_doctest_traceback(doctest, text):
    """
    Returns the traceback of the exception that the first failed example of a docstring raised, with the file of the
    docstring as the caller. Returns None if the example raised no exception but printed unexpected output. Doctest
    writes the traceback into the text of an assertion, indented, below a frame of doctest and a frame of the example.
    """
    places = [line for line in text.splitlines() if line.startswith("File ") and ", line " in line]
    example, raised, error = text.partition("\nException raised:\n")
    lines = [line[4:] for line in error.partition("\n" + "-" * 70)[0].splitlines()]
    code = example.partition("Failed example:\n")[2]
    starts = [at for at, line in enumerate(lines) if line.startswith('  File "<doctest ' + doctest.name + "[")]
    if not raised or not places or not starts or "\nExpected" in code:
        return None
    frames = [at for at, line in enumerate(lines) if line.startswith('  File "')]
    # The index of the line with doctest's own frame. Errors that led to this error are printed before it.
    doctest_frame = max([at for at in frames if at < starts[-1]] or [starts[-1]])
    rest = lines[starts[-1] + 1 :]
    while rest and rest[0].startswith("    "):
        rest.pop(0)
    called = ["  " + places[0], "    " + code.strip().partition("\n")[0]]
    return "\n".join(lines[:doctest_frame] + called + rest).rstrip()


class Recorder(object):
    """Records the results of the outermost suites, no matter which program runs the suites."""

    def __init__(self):
        self.folder = None
        self.root = None
        self.tests = []
        self.started = {}
        self.start_time = time.time()
        self.is_running = False

    def listen(self, *classes):
        for test_class in classes:
            test_class.__call__ = self.wrap_call(test_class.__call__)

    def wrap_call(self, call):
        recorder = self
        __unittest = True

        def call_and_listen(tests, *results, **options):
            # Runs inside a test do not belong to this run.
            if recorder.is_running or not results:
                return call(tests, *results, **options)
            if not recorder.claim_folder() or not recorder.wrap_result(results[0]):
                return call(tests, *results, **options)
            recorder.is_running = True
            # An empty report remains if a test ends the process.
            recorder.write("")
            count = tests.countTestCases()
            try:
                return call(tests, *results, **options)
            finally:
                recorder.is_running = False
                recorder.note_unfinished(results[0], count)
                recorder.write(recorder.create_report())

        return call_and_listen

    def claim_folder(self):
        """Removes the report folder from the environment, so that child processes write nothing into the folder."""
        folder = os.environ.pop("ARGUS_REPORT_DIR", None)
        if folder:
            self.folder = folder
            self.root = os.environ.get("ARGUS_REPORT_ROOT") or os.getcwd()
        return self.folder

    def wrap_result(self, result):
        result_class = type(result)
        recorder = self
        __unittest = True

        def create_method(name, status):
            def method(self, test, *rest):
                recorder.add_test(test, status, rest[0] if rest else None, self)
                return getattr(result_class, name)(self, test, *rest)

            return method

        def start_test(self, test):
            recorder.started[id(test)] = time.time()
            return result_class.startTest(self, test)

        def add_sub_test(self, test, subtest, error):
            if error is not None:
                recorder.add_test(subtest, "failed", error, self, test)
            return result_class.addSubTest(self, test, subtest, error)

        methods = {"startTest": start_test}
        for name, status in (
            ("addSuccess", "passed"),
            ("addFailure", "failed"),
            ("addError", "failed"),
            ("addSkip", "skipped"),
            # pytest also reports these tests as skipped.
            ("addExpectedFailure", "skipped"),
            ("addUnexpectedSuccess", "failed"),
        ):
            if hasattr(result_class, name):
                methods[name] = create_method(name, status)
        if hasattr(result_class, "addSubTest"):
            methods["addSubTest"] = add_sub_test
        try:
            result.__class__ = type(result_class.__name__, (result_class,), methods)
        except TypeError:
            # The class of the result cannot be changed, so the output is read instead.
            return False
        return True

    def add_test(self, test, status, detail, result, parent=None):
        case = parent if parent is not None else test
        case_class = type(case)
        # The examples of a docstring are one case, whose class and method belong to doctest.
        doctest = getattr(case, "_dt_test", None)
        name = doctest.name if doctest else getattr(case, "_testMethodName", None) or str(case)
        if parent is not None:
            name = name + " " + test._subDescription()
        entry = {
            "name": name,
            "status": status,
            "duration": (time.time() - self.started.get(id(case), time.time())) * 1000,
        }
        module = sys.modules.get(case_class.__module__)
        if doctest:
            entry["filePath"] = to_project_path(doctest.filename or doctest.globs.get("__file__"), self.root)
        elif hasattr(case, "_testMethodName") and case_class.__module__ != "unittest.loader":
            entry["suite"] = [case_class.__module__ + "." + getattr(case_class, "__qualname__", case_class.__name__)]
            entry["filePath"] = to_project_path(getattr(module, "__file__", None), self.root)
        if case_class.__module__ == "unittest.loader" and isinstance(detail, tuple):
            # For a file that could not be loaded, the error follows a line of the message that names the file.
            entry["trace"] = str(detail[1]).partition("\n")[2].strip() or str(detail[1])
            entry["message"] = entry["trace"].rpartition("\n")[2]
            source = find_source(name)
            if source is not None:
                entry["name"] = "(suite)"
                entry["filePath"] = to_project_path(source, self.root)
        elif isinstance(detail, tuple):
            message = "".join(format_exception(detail))
            doctest_traceback = find_doctest_traceback(doctest, message) if doctest else None
            entry["trace"] = doctest_traceback or result._exc_info_to_string(detail, case)
            entry["message"] = doctest_traceback.rpartition("\n")[2] if doctest_traceback else message
        elif status == "failed":
            entry["message"] = "unexpected success"
        self.tests.append(entry)

    def note_unfinished(self, result, count):
        missing = count - result.testsRun
        if result.shouldStop and missing > 0:
            text = "%d of %d tests did not run, because unittest stopped before them." % (missing, count)
            self.write(text, "note-unittest-%d")

    def create_report(self):
        import json

        report = {
            "reportFormat": "CTRF",
            "specVersion": "0.0.0",
            "results": {
                "tool": {"name": "unittest", "version": "%d.%d.%d" % sys.version_info[:3]},
                "summary": {"start": int(self.start_time * 1000), "stop": int(time.time() * 1000)},
                "tests": self.tests,
            },
        }
        return json.dumps(report)

    def write(self, text, name="unittest-%d.json"):
        import io

        try:
            path = os.path.join(self.folder, name % os.getpid())
            with io.open(path, "w", encoding="utf-8") as file:
                file.write(text if sys.version_info[0] > 2 else text.decode("ascii"))
        except (IOError, OSError):
            pass


def format_exception(detail):
    import traceback

    return traceback.format_exception_only(detail[0], detail[1])
