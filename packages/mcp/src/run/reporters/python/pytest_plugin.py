# A pytest plugin with which each pytest process of a command writes its own JUnit report. If the project requests a
# report itself, that report stays unchanged and is copied. The plugin writes nothing if a test starts pytest, or in a
# worker of pytest-xdist.
import os
import shutil

import pytest


class Report(object):
    def __init__(self, report_path, requested_path):
        self.report_path = report_path
        self.requested_path = requested_path

    def pytest_sessionstart(self, session):
        for plugin in session.config.pluginmanager.get_plugins():
            if not hasattr(plugin, "add_global_property"):
                continue
            self.create_empty_report()
            # Keep a report that the project requests as pytest writes it.
            if self.requested_path is None:
                plugin.add_global_property("runner.version", pytest.__version__)

    # An empty report remains if a test ends the process.
    def create_empty_report(self):
        try:
            open(self.report_path, "w").close()
        except (IOError, OSError):
            pass

    def pytest_unconfigure(self, config):
        if self.requested_path is None:
            return
        try:
            shutil.copyfile(os.path.expanduser(os.path.expandvars(self.requested_path)), self.report_path)
        except (IOError, OSError):
            if os.path.exists(self.report_path):
                os.remove(self.report_path)


# Runs before pytest's own plugin that reads the option.
@pytest.hookimpl(tryfirst=True)
def pytest_configure(config):
    folder = os.environ.pop("ARGUS_REPORT_DIR", None)
    if not folder or hasattr(config, "workerinput"):
        return
    report_path = os.path.join(folder, "pytest-%d.xml" % os.getpid())
    requested_path = getattr(config.option, "xmlpath", None)
    if not requested_path:
        config.option.xmlpath = report_path
    # `pytest_unconfigure` can copy the report, because pytest writes it before, at the end of the session.
    config.pluginmanager.register(Report(report_path, requested_path or None), "argus_report")
