# Python loads this module from PYTHONPATH when it starts. It runs ../hook.py, but compiles it without the name of the
# file, because coverage tools count every file that runs.
import os

folder = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
with open(os.path.join(folder, "hook.py")) as source:
    code = compile(source.read(), "<argus hook.py>", "exec")
exec(code, {"__name__": __name__, "FOLDER": folder})
