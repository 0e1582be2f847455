import sys

from django.conf import settings
from django.core.management import execute_from_command_line

settings.configure(INSTALLED_APPS=["shop"], DATABASES={})
execute_from_command_line(sys.argv)
