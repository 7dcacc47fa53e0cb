"""Build of the native core; everything else is in pyproject.toml."""
import os
import platform
import sys
from concurrent.futures import ThreadPoolExecutor
from glob import glob

import numpy
from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext

NO_COMPILER = """
dynamo_lite has a core written in C++, and building it failed:
    {error}
It needs a C++17 compiler and the headers of this Python.
    Debian, Ubuntu:  apt-get install g++ python3-dev
    Fedora:          dnf install gcc-c++ python3-devel
    macOS:           xcode-select --install
"""


def files(kind: str) -> list[str]:
    """The core's files of a kind, by their ending."""
    return glob(f"dynamo_lite/native/**/*.{kind}", recursive=True)


STANDARD = "-std=c++17"
FLAGS = [STANDARD, "-O2", "-fno-strict-aliasing", "-fvisibility=hidden",
         "-ffp-contract=off"]  # a product and a sum are rounded one after the other, as in Python
if platform.libc_ver()[0] == "glibc":  # others have no room for them in libraries loaded later
    FLAGS.append("-ftls-model=initial-exec")  # variables of a thread without a call for each
    FLAGS.append("-fno-plt")  # functions of Python without a jump for each call
KNOWN = sys.version_info < (3, 14)
"""Whether the core knows the frames of this Python; without it everything runs in Python."""


class BuildCore(build_ext):
    """Build the core, and say what is missing when that fails."""

    def build_extensions(self) -> None:
        compile_all, compile_one = self.compiler.compile, self.compiler._compile

        def compile_as(obj, src, ext, cc_args, extra, pp_opts):
            """Without the standard of C++ for files of C, which clang refuses."""
            extra = [flag for flag in extra if flag != STANDARD or ext != ".c"]
            compile_one(obj, src, ext, cc_args, extra, pp_opts)

        def compile_together(*args, **options):
            """As many files at a time as there are cores."""
            running = []
            with ThreadPoolExecutor(os.cpu_count()) as pool:
                self.compiler._compile = lambda *one: running.append(pool.submit(compile_as, *one))
                objects = compile_all(*args, **options)
            for file in running:
                file.result()
            return objects

        self.compiler.compile = compile_together
        try:
            super().build_extensions()
        except Exception as error:
            sys.stderr.write(NO_COMPILER.format(error=error))
            raise


setup(
    ext_modules=[] if not KNOWN else [
        Extension(
            "dynamo_lite.native._core",
            sources=sorted([*files("cpp"), *files("c")]),
            depends=sorted(files("h")),
            include_dirs=["dynamo_lite/native", numpy.get_include()],
            extra_compile_args=FLAGS,
            libraries=["dl", "pthread"] if sys.platform == "linux" else [],
            language="c++",
        )
    ],
    cmdclass={"build_ext": BuildCore},
)
