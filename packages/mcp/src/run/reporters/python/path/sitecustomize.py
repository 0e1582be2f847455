# Python loads this at its start, from PYTHONPATH. What it runs has not the name of a file, for what measures coverage
# counts every file that is run; ../hook.py is what Argus adds.
import os

folder = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
with open(os.path.join(folder, "hook.py")) as source:
    code = compile(source.read(), "<argus hook.py>", "exec")
exec(code, {"__name__": __name__, "FOLDER": folder})
