"""Records every pytest run in Argus and prints known facts about its failures. Never changes how a run ends.

The program (npm: argus-mcp) is started at the beginning of the run and reads a JUnit report at its end. Inside an
`argus run` only the report is written, for that run. Nothing happens in a pytest that a test has started, or in a
worker of pytest-xdist.
"""

import datetime
import json
import os
import random
import shutil
import socket
import string
import subprocess
import sys
import tempfile
import time
import zlib

import pytest

try:
    from _pytest.junitxml import LogXML
except ImportError:  # A pytest that keeps it elsewhere: nothing is recorded, and the tests still run.
    LogXML = object

__version__ = "0.1.0"

# `argus run` sets REPORT_FOLDER to the folder for reports. AROUND is set while a run is recorded, so that a pytest that
# a test starts records nothing.
REPORT_FOLDER = "ARGUS_REPORT_DIR"
AROUND = "ARGUS_REPORT_ROOT"

# Maximum time to record a run after its end. If recording takes longer, the run counts as not recorded.
PATIENCE_SECONDS = 20

NOT_FOUND = "argus-mcp is not on the PATH, and ARGUS_MCP is not set"
GUESS = "--no-install"

# Exit codes for a wrong command line and for a run without tests.
NO_RUNS = (4, 5)


# Runs before the plugin that `argus run` adds, because the first of the two takes the folder from the environment and
# writes the report.
@pytest.hookimpl(tryfirst=True)
def pytest_configure(config):
    if hasattr(config, "workerinput") or config.getoption("collectonly", False):
        return
    try:
        folder = os.environ.pop(REPORT_FOLDER, None)
        if folder:
            config.pluginmanager.register(_report(config, folder), "argus-report")
        elif not os.environ.get(AROUND):
            config.pluginmanager.register(Recording(config), "argus-recording")
    except Exception as problem:
        _warn(_not_recorded(problem))


class Report(LogXML):
    """Pytest's own JUnit report, without the message about the location of its file."""

    def pytest_sessionfinish(self):
        try:
            super().pytest_sessionfinish()
        except Exception as problem:
            _warn(_not_recorded(problem))

    def pytest_terminal_summary(self, terminalreporter):
        pass


def _report(config, folder):
    def setting(name, other):
        try:
            return config.getini(name)
        except (KeyError, ValueError):
            return other

    report = Report(
        os.path.join(folder, "pytest-%d.xml" % os.getpid()),
        None,
        setting("junit_suite_name", "pytest"),
        "all",
        setting("junit_duration_report", "total"),
        setting("junit_family", "xunit2"),
        True,
    )
    report.add_global_property("runner.version", pytest.__version__)
    return report


class Recording:
    """Records one run."""

    def __init__(self, config):
        self.root = os.getcwd()
        self.folder = _new_folder()
        config.pluginmanager.register(_report(config, self.folder), "argus-report")
        self.exit_code = None
        self.is_interrupted = False
        self.began = time.time()
        self.program = None
        os.environ[AROUND] = self.root
        program = _program(self.root)
        if program is not None:
            self.program = self._start(program)

    def _start(self, program):
        """Starts the program that records. It ends when its stdin closes, and therefore with this process."""
        # Removes variables that are meant for the processes of tests.
        env = {name: value for name, value in os.environ.items() if name not in ("NODE_OPTIONS", "NODE_V8_COVERAGE")}
        # The program cannot detect the terminal itself, because its output is a pipe.
        if not sys.stdout.isatty() and not env.get("FORCE_COLOR"):
            env["NO_COLOR"] = "1"
        elif not env.get("NO_COLOR"):
            env["FORCE_COLOR"] = "1"
        return subprocess.Popen(
            program + ["record", self.folder],
            cwd=self.root,
            env=env,
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
        )

    def pytest_sessionfinish(self, exitstatus):
        self.exit_code = int(exitstatus)

    def pytest_keyboard_interrupt(self, excinfo):
        # Pytest also calls this for pytest.exit(), with an exception of another class.
        self.is_interrupted = type(excinfo.value) is KeyboardInterrupt

    @pytest.hookimpl(trylast=True)
    def pytest_unconfigure(self, config):
        os.environ.pop(AROUND, None)
        try:
            is_nothing = self.exit_code is None or self.exit_code in NO_RUNS or self.is_interrupted
            if not is_nothing and any(name.startswith("pytest-") for name in os.listdir(self.folder)):
                self._hand_over(config)
        except Exception as problem:
            _warn(_not_recorded(problem))
        finally:
            if self.program is not None:
                self.program.kill()
                self.program.communicate()
            shutil.rmtree(self.folder, ignore_errors=True)

    def _hand_over(self, config):
        if self.program is None:
            return _warn(_not_recorded(NOT_FOUND))
        began = datetime.datetime.fromtimestamp(self.began, datetime.timezone.utc)
        words = [str(word) for word in config.invocation_params.args]
        end = {
            "runner": "pytest",
            "command": " ".join(["pytest"] + [_quoted(word) for word in words]),
            "startedAt": began.isoformat(),
            "durationMs": int((time.time() - self.began) * 1000),
            "exitCode": self.exit_code,
        }
        keyword = config.getoption("keyword", "")
        if keyword:
            end["filter"] = keyword
        file = os.path.join(self.folder, "end.json")
        with open(file + ".draft", "w", encoding="utf-8") as draft:
            json.dump(end, draft)
        os.replace(file + ".draft", file)
        try:
            _, complaint = self.program.communicate(timeout=PATIENCE_SECONDS)
        except subprocess.TimeoutExpired:
            return _warn(_not_recorded("argus-mcp did not finish in time"))
        try:
            with open(os.path.join(self.folder, "answer.json"), encoding="utf-8") as file:
                answer = json.load(file)
        except FileNotFoundError:
            # If npx was used and there is no answer, argus-mcp is probably not installed.
            if GUESS in self.program.args:
                return _warn(_not_recorded(NOT_FOUND))
            lines = complaint.decode("utf-8", "replace").strip().splitlines()
            return _warn(lines[0] if lines else _not_recorded("the program ended without an answer"))
        if answer.get("known"):
            sys.stdout.write(answer["known"])
            sys.stdout.flush()
        if answer.get("complaint"):
            _warn(answer["complaint"])


def _new_folder():
    """Creates a folder whose name contains the process id and the system. With them, a later process can detect that
    this process has ended.
    """
    try:
        namespace = os.readlink("/proc/self/ns/pid")
    except (AttributeError, OSError):
        namespace = ""
    system = "%08x" % zlib.crc32(("%s %s" % (socket.gethostname(), namespace)).encode())
    # Does not use the default random generator, because tests may seed it.
    unguessable = "".join(random.SystemRandom().choice(string.ascii_letters + string.digits) for _ in range(6))
    folder = os.path.join(tempfile.gettempdir(), "argus-report-%d--%s-%s" % (os.getpid(), system, unguessable))
    os.mkdir(folder, 0o700)
    return folder


def _program(root):
    """Returns the command that starts argus-mcp: the program in ARGUS_MCP, otherwise an installation on the PATH,
    otherwise an installation in the project, otherwise npx. Returns None if there is no command.
    """
    named = os.environ.get("ARGUS_MCP")
    if named:
        return ["node", named] if named.endswith((".mjs", ".js")) else [named]
    found = shutil.which("argus-mcp")
    if found is None:
        found = shutil.which("argus")
        # Other programs have this name too.
        if found is not None and "argus-mcp" not in os.path.realpath(found):
            found = None
    folder = root
    while found is None:
        found = shutil.which("argus-mcp", path=os.path.join(folder, "node_modules", ".bin"))
        if os.path.dirname(folder) == folder:
            break
        folder = os.path.dirname(folder)
    if found is not None:
        return [found]
    npx = shutil.which("npx")
    return None if npx is None else [npx, GUESS, "--offline", "argus-mcp"]


def _quoted(word):
    return word if word and all(one.isalnum() or one in "_@%+=:,./-[]" for one in word) else '"%s"' % word


def _not_recorded(why):
    return "this run was not recorded: %s" % why


def _warn(text):
    sys.stderr.write("argus: %s\n" % text)
