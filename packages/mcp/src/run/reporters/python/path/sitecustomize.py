# Python loads this module at its start from PYTHONPATH. The compiled code has no file name, because coverage tools
# count every file that runs. ../hook.py has the hook.
import os

folder = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
with open(os.path.join(folder, "hook.py")) as source:
    code = compile(source.read(), "<argus hook.py>", "exec")
exec(code, {"__name__": __name__, "FOLDER": folder})
