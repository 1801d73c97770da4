"""Python code in a command line: whether it only asks for versions and devices, and whether it could hide something."""

from __future__ import annotations

import ast
import re

from rocmdoctor import later

_MODULES = ("torch", "sys", "platform", "importlib", "onnxruntime", "tensorflow", "jax", "vllm", "os", "triton", "transformers", "diffusers", "bitsandbytes")
_NAMES = frozenset("print len str int float bool list sorted dict range round".split())
_ATTRIBUTES = frozenset("""is_available device_count get_device_name get_device_properties get_arch_list get_device_capability mem_get_info memory_summary
memory_allocated memory_reserved version hip cuda __version__ __file__ get environ join format machine platform python_version executable backends show
get_available_providers list_physical_devices devices device config total_memory gcnArchName ones zeros rand randn tensor matmul sum item synchronize cpu shape
is_bf16_supported current_device metadata utils collect_env name rocm_version default_backend""".split())
_NODES = (ast.Module, ast.Expr, ast.Import, ast.ImportFrom, ast.alias, ast.Call, ast.Name, ast.Attribute, ast.Constant, ast.Load, ast.Store, ast.Assign,
          ast.keyword, ast.Tuple, ast.List, ast.BinOp, ast.MatMult, ast.Add, ast.Div, ast.Mult, ast.JoinedStr, ast.FormattedValue, ast.Subscript)
_HIDES = later.pattern(r"system|popen|subprocess|exec|eval|import__|b64|base64|rmtree|unlink|remove|rmdir|rename|chmod|write|open\s*\(|socket|urlopen"
                    r"|request|ctypes|\bpty\b|shutil|pathlib|compile|getattr|chr\s*\(|\\x|\\u|codecs|marshal|pickle|spawn|fork|kill|`|/dev/", re.IGNORECASE)


def may_hide(code: str) -> bool:
    """Whether code, of any language, has words with which it could do what one does not see."""
    return _HIDES.search(code) is not None


def only_asks(code: str) -> bool:
    """Whether the code only imports what we know, asks it and prints the answers.

    >>> only_asks("import torch; print(torch.__version__, torch.cuda.is_available())"), only_asks("import os; os.remove('a')")
    (True, False)
    """
    try:
        nodes = list(ast.walk(ast.parse(code)))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    names = set(_NAMES)
    for node in nodes:
        if not isinstance(node, _NODES) or isinstance(node, ast.Attribute) and node.attr not in _ATTRIBUTES:
            return False
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            modules = [alias.name for alias in node.names] if isinstance(node, ast.Import) else [node.module or ""]
            if any(each.split(".")[0] not in _MODULES for each in modules):
                return False
            if isinstance(node, ast.ImportFrom) and any(alias.name not in _ATTRIBUTES for alias in node.names):
                return False
            names |= {alias.asname or alias.name.split(".")[0] for alias in node.names}
    stored = {node.id for node in nodes if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}
    return not stored & names and all(node.id in names | stored for node in nodes if isinstance(node, ast.Name))
