# Records the tests of a program that runs them with unittest, which has no report, and writes a report: for Django, for
# a program of the project, or for `python -m unittest`. It prints nothing, and removes the report folder from the
# environment before a test runs. path/sitecustomize.py loads it.
import os
import sys
import time

# unittest hides frames of modules with this variable from tracebacks.
__unittest = True


def relative(path, root):
    if not path:
        return None
    try:
        return os.path.relpath(path, root).replace(os.sep, "/")
    except ValueError:
        return path.replace(os.sep, "/")


def source_of(module):
    """The file of a module that could not be loaded."""
    tail = module.replace(".", os.sep)
    for folder in sys.path:
        for path in (os.path.join(folder, tail + ".py"), os.path.join(folder, tail, "__init__.py")):
            if os.path.isfile(path):
                return path
    return None


def thrown_in(doctest, text):
    """
    The traceback of what the first failed example of a docstring raised, as if it were called in its file; None where its
    output is another one than expected. Doctest has it, indented, in the text of an assertion, below a frame of its own
    and one of the example.
    """
    places = [line for line in text.splitlines() if line.startswith("File ") and ", line " in line]
    example, raised, error = text.partition("\nException raised:\n")
    lines = [line[4:] for line in error.partition("\n" + "-" * 70)[0].splitlines()]
    code = example.partition("Failed example:\n")[2]
    starts = [at for at, line in enumerate(lines) if line.startswith('  File "<doctest ' + doctest.name + "[")]
    if not raised or not places or not starts or "\nExpected" in code:
        return None
    frames = [at for at, line in enumerate(lines) if line.startswith('  File "')]
    # The start of doctest's own frames, after the errors that led to this error.
    own = max([at for at in frames if at < starts[-1]] or [starts[-1]])
    rest = lines[starts[-1] + 1 :]
    while rest and rest[0].startswith("    "):
        rest.pop(0)
    called = ["  " + places[0], "    " + code.strip().partition("\n")[0]]
    return "\n".join(lines[:own] + called + rest).rstrip()


class Recorder(object):
    """Takes down what the results of the outermost suites are told, whatever runs them."""

    def __init__(self):
        self.folder = None
        self.root = None
        self.tests = []
        self.started = {}
        self.begin = time.time()
        self.is_running = False

    def listen(self, *classes):
        for tests in classes:
            tests.__call__ = self.listening(tests.__call__)

    def listening(self, call):
        recorder = self
        __unittest = True

        def call_and_listen(tests, *results, **options):
            # Runs inside a test do not belong to this run.
            if recorder.is_running or not results or not recorder.take() or not recorder.attach(results[0]):
                return call(tests, *results, **options)
            recorder.is_running = True
            try:
                return call(tests, *results, **options)
            finally:
                recorder.is_running = False
                recorder.write()

        return call_and_listen

    def take(self):
        """So that what this process starts writes nothing there."""
        folder = os.environ.pop("ARGUS_REPORT_DIR", None)
        if folder:
            self.folder = folder
            self.root = os.environ.get("ARGUS_REPORT_ROOT") or os.getcwd()
        return self.folder

    def attach(self, result):
        own = type(result)
        recorder = self
        __unittest = True

        def told(name, status):
            def method(self, test, *rest):
                recorder.add(test, status, rest[0] if rest else None, self)
                return getattr(own, name)(self, test, *rest)

            return method

        def start_test(self, test):
            recorder.started[id(test)] = time.time()
            return own.startTest(self, test)

        def add_sub_test(self, test, subtest, error):
            if error is not None:
                recorder.add(subtest, "failed", error, self, test)
            return own.addSubTest(self, test, subtest, error)

        methods = {"startTest": start_test}
        for name, status in (
            ("addSuccess", "passed"),
            ("addFailure", "failed"),
            ("addError", "failed"),
            ("addSkip", "skipped"),
            # The reports of pytest call these skipped too.
            ("addExpectedFailure", "skipped"),
            ("addUnexpectedSuccess", "failed"),
        ):
            if hasattr(own, name):
                methods[name] = told(name, status)
        if hasattr(own, "addSubTest"):
            methods["addSubTest"] = add_sub_test
        try:
            result.__class__ = type(own.__name__, (own,), methods)
        except TypeError:
            # The result is not an ordinary object, so the output is read instead.
            return False
        return True

    def add(self, test, status, detail, result, parent=None):
        case = parent if parent is not None else test
        kind = type(case)
        # The examples of a docstring are a case with the class and method of doctest.
        doctest = getattr(case, "_dt_test", None)
        name = doctest.name if doctest else getattr(case, "_testMethodName", None) or str(case)
        if parent is not None:
            name = name + " " + test._subDescription()
        entry = {
            "name": name,
            "status": status,
            "duration": (time.time() - self.started.get(id(case), time.time())) * 1000,
        }
        module = sys.modules.get(kind.__module__)
        if doctest:
            entry["filePath"] = relative(doctest.filename or doctest.globs.get("__file__"), self.root)
        elif hasattr(case, "_testMethodName") and kind.__module__ != "unittest.loader":
            entry["suite"] = [kind.__module__ + "." + getattr(kind, "__qualname__", kind.__name__)]
            entry["filePath"] = relative(getattr(module, "__file__", None), self.root)
        if kind.__module__ == "unittest.loader" and isinstance(detail, tuple):
            # A file that could not be loaded: the error is in the message, below a line that names the file.
            entry["trace"] = str(detail[1]).partition("\n")[2].strip() or str(detail[1])
            entry["message"] = entry["trace"].rpartition("\n")[2]
            source = source_of(name)
            if source is not None:
                entry["name"] = "(suite)"
                entry["filePath"] = relative(source, self.root)
        elif isinstance(detail, tuple):
            message = "".join(last_lines(detail))
            thrown = thrown_in(doctest, message) if doctest else None
            entry["trace"] = thrown or result._exc_info_to_string(detail, case)
            entry["message"] = thrown.rpartition("\n")[2] if thrown else message
        elif status == "failed":
            entry["message"] = "unexpected success"
        self.tests.append(entry)

    def write(self):
        import io
        import json

        report = {
            "reportFormat": "CTRF",
            "specVersion": "0.0.0",
            "results": {
                "tool": {"name": "unittest", "version": "%d.%d.%d" % sys.version_info[:3]},
                "summary": {"start": int(self.begin * 1000), "stop": int(time.time() * 1000)},
                "tests": self.tests,
            },
        }
        try:
            path = os.path.join(self.folder, "unittest-%d.json" % os.getpid())
            with io.open(path, "w", encoding="utf-8") as file:
                file.write(json.dumps(report) if sys.version_info[0] > 2 else json.dumps(report).decode("ascii"))
        except (IOError, OSError):
            pass


def last_lines(detail):
    import traceback

    return traceback.format_exception_only(detail[0], detail[1])
