# A pytest plugin. Each pytest process of a command writes its own JUnit report. If the project requests a report
# itself, that report stays in its place and is copied. Nothing is written if a test starts pytest, or in a worker of
# pytest-xdist.
import os
import shutil

import pytest


class Report(object):
    def __init__(self, own, asked):
        self.own = own
        self.asked = asked

    # A report that the project requests stays as pytest writes it.
    def pytest_sessionstart(self, session):
        if self.asked is not None:
            return
        for plugin in session.config.pluginmanager.get_plugins():
            if hasattr(plugin, "add_global_property"):
                plugin.add_global_property("runner.version", pytest.__version__)

    def pytest_unconfigure(self, config):
        if self.asked is None:
            return
        try:
            shutil.copyfile(os.path.expanduser(os.path.expandvars(self.asked)), self.own)
        except (IOError, OSError):
            pass


# Runs before the plugin of pytest that reads the option.
@pytest.hookimpl(tryfirst=True)
def pytest_configure(config):
    folder = os.environ.pop("ARGUS_REPORT_DIR", None)
    if not folder or hasattr(config, "workerinput"):
        return
    own = os.path.join(folder, "pytest-%d.xml" % os.getpid())
    asked = getattr(config.option, "xmlpath", None)
    if not asked:
        config.option.xmlpath = own
    # pytest writes the report at the end of the session, which is before `pytest_unconfigure`.
    config.pluginmanager.register(Report(own, asked or None), "argus_report")
