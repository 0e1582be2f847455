# Does what `python -m unittest` does, or a program that runs tests by unittest (`--program manage.py test`), and writes a
# report of its tests: that has no option for one. It prints nothing of its own and is gone from the environment before a
# test runs.
import os
import sys
import time

# Tracebacks end where these frames begin, as for the module itself.
__unittest = True


def as_module():
    """What `-m unittest` makes of the path and the arguments."""
    first_on_path(os.getcwd())
    sys.argv[0] = os.path.basename(sys.executable) + " -m unittest"


def first_on_path(folder):
    if not getattr(sys.flags, "safe_path", False):
        sys.path[0] = folder


def run_program():
    """What Python makes of the path and the arguments of a program."""
    import runpy

    del sys.argv[:2]
    program = sys.argv[0]
    first_on_path(os.path.dirname(os.path.abspath(program)))
    try:
        runpy.run_path(program, run_name="__main__")
    except Exception:
        # As if it had been started itself: its own frames.
        kind, error, trace = sys.exc_info()
        while trace is not None and trace.tb_frame.f_code.co_filename != program:
            trace = trace.tb_next
        if hasattr(error, "with_traceback"):
            error.with_traceback(trace)
        sys.excepthook(kind, error, trace)
        sys.exit(1)


def run_module():
    from unittest import main

    as_module()
    main(module=None)


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


class Recorder(object):
    """Takes down what the result of the outermost runner is told."""

    def __init__(self, folder, root):
        self.folder = folder
        self.root = root
        self.tests = []
        self.started = {}
        self.begin = time.time()
        self.has_run = False

    def listen(self, runner_class):
        make = runner_class._makeResult
        recorder = self

        def make_result(runner):
            result = make(runner)
            # A runner that a test starts is no part of this run.
            if not recorder.has_run:
                recorder.has_run = True
                recorder.attach(result)
            return result

        runner_class._makeResult = make_result

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
            ("addExpectedFailure", "passed"),
            ("addUnexpectedSuccess", "failed"),
        ):
            if hasattr(own, name):
                methods[name] = told(name, status)
        if hasattr(own, "addSubTest"):
            methods["addSubTest"] = add_sub_test
        result.__class__ = type(own.__name__, (own,), methods)

    def add(self, test, status, detail, result, parent=None):
        case = parent if parent is not None else test
        kind = type(case)
        name = getattr(case, "_testMethodName", None) or str(case)
        if parent is not None:
            name = name + " " + test._subDescription()
        entry = {
            "name": name,
            "status": status,
            "duration": (time.time() - self.started.get(id(case), time.time())) * 1000,
        }
        module = sys.modules.get(kind.__module__)
        if hasattr(case, "_testMethodName") and kind.__module__ != "unittest.loader":
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
            entry["trace"] = result._exc_info_to_string(detail, case)
            entry["message"] = "".join(last_lines(detail))
        elif status == "failed":
            entry["message"] = "unexpected success"
        self.tests.append(entry)

    def write(self):
        import io
        import json

        if not self.has_run:
            return
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


if __name__ == "__main__":
    from unittest import TextTestRunner

    where = os.environ.pop("ARGUS_REPORT_DIR", None)
    recorder = Recorder(where, os.environ.pop("ARGUS_REPORT_ROOT", None) or os.getcwd())
    if where:
        recorder.listen(TextTestRunner)
    try:
        if sys.argv[1:2] == ["--program"]:
            run_program()
        else:
            run_module()
    finally:
        recorder.write()
