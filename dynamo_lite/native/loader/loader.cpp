// Relocatable objects in memory: what LLVM emitted in an earlier process runs without llvmlite.
// An object is input from a file, so every offset in it is checked; what is not understood, or is
// damaged, gives None, and the caller compiles anew.
#include "base/core.h"
#include "runtime/runtime.h"

#include <new>

#if defined(__x86_64__) && defined(__linux__)
#include <cstdlib>
#include <dlfcn.h>
#include <elf.h>
#include <sys/mman.h>
#include <unistd.h>
#include <vector>

namespace {

// What an object may call outside itself.
const char *const EXTERNALS[] = {
    "memcpy", "memset", "memmove", "memcmp",
    "acos", "acosh", "asin", "asinh", "atan", "atan2", "atanh", "cbrt", "ceil", "copysign", "cos",
    "cosh", "erf", "erfc", "exp", "exp2", "expm1", "fabs", "floor", "fma", "fmax", "fmin", "fmod",
    "hypot", "ldexp", "lgamma", "log", "log10", "log1p", "log2", "nearbyint", "nextafter", "pow",
    "rint", "round", "sin", "sinh", "sqrt", "tan", "tanh", "tgamma", "trunc",
    "acosf", "acoshf", "asinf", "asinhf", "atanf", "atan2f", "atanhf", "cbrtf", "ceilf",
    "copysignf", "cosf", "coshf", "erff", "erfcf", "expf", "exp2f", "expm1f", "fabsf", "floorf",
    "fmaf", "fmaxf", "fminf", "fmodf", "hypotf", "ldexpf", "lgammaf", "logf", "log10f", "log1pf",
    "log2f", "nearbyintf", "nextafterf", "powf", "rintf", "roundf", "sinf", "sinhf", "sqrtf", "tanf",
    "tanhf", "tgammaf", "truncf",
};

constexpr uint64_t MAX_IMAGE = 1 << 28;
constexpr uint64_t NOT_LOADED = UINT64_MAX;
constexpr uint64_t STUB_BYTES = 16, STUB_ADDRESS = 8;

const void *find_external(const char *name) {
    for (const char *allowed : EXTERNALS) {
        if (strcmp(name, allowed) == 0) return dlsym(RTLD_DEFAULT, name);
    }
    return nullptr;
}

uint64_t round_up(uint64_t value, uint64_t multiple) {
    return (value + multiple - 1) / multiple * multiple;
}

// The bytes of the object file, read with bounds checks.
struct File {
    const char *data;
    uint64_t size;

    bool holds(uint64_t offset, uint64_t length) const {
        return offset <= size && length <= size - offset;
    }
    template <typename T>
    bool read(uint64_t offset, T *out) const {
        if (!holds(offset, sizeof(T))) return false;
        memcpy(out, data + offset, sizeof(T));
        return true;
    }
    template <typename T>
    bool read_array(uint64_t offset, uint64_t bytes, std::vector<T> *out) const {
        if (!holds(offset, bytes) || bytes % sizeof(T) != 0) return false;
        out->resize(bytes / sizeof(T));
        if (bytes) memcpy(static_cast<void *>(out->data()), data + offset, bytes);
        return true;
    }
};

// Pages of memory: code and constants first, then what may be written.
struct Pages {
    char *base = nullptr;
    uint64_t size = 0, fixed = 0;

    Pages() = default;
    Pages(Pages &&other) noexcept { *this = std::move(other); }
    Pages &operator=(Pages &&other) noexcept {
        std::swap(base, other.base);
        std::swap(size, other.size);
        std::swap(fixed, other.fixed);
        return *this;
    }
    ~Pages() {
        if (base != nullptr) munmap(base, size);
    }
    bool map() {
        void *memory =
            mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (memory == MAP_FAILED) return false;
        base = static_cast<char *>(memory);
        return true;
    }
    bool seal() { return mprotect(base, fixed, PROT_READ | PROT_EXEC) == 0; }
};

class Image {
public:
    Image(File object, PyObject *symbols) : file(object), known(symbols) {}

    bool load() {
        return read_sections() && read_symbols() && lay_out() && pages.map() && copy_sections() &&
               relocate_all() && pages.seal();
    }
    // Adds each global symbol's address to the dict.
    bool export_to(PyObject *dict) const;

    Pages pages;

private:
    bool read_sections();
    bool read_symbols();
    bool lay_out();
    bool place(bool writable, uint64_t *end);
    bool copy_sections();
    bool relocate_all();
    bool relocate(uint64_t section, const Elf64_Rela &entry);
    bool value_of(uint64_t symbol, uint64_t *value);
    uint64_t stub_of(uint64_t symbol, uint64_t value);
    const char *name_of(const Elf64_Sym &symbol) const;
    uint64_t find_known(const char *name) const;

    File file;
    PyObject *known;                 // addresses by name in objects that are loaded; or null
    std::vector<Elf64_Shdr> sections;
    std::vector<uint64_t> offsets;   // of each section in the pages, or NOT_LOADED
    std::vector<Elf64_Sym> symbols;
    Elf64_Shdr names = {};           // the symbols' string table
    uint64_t symbol_section = 0, stubs = 0;
};

bool Image::read_sections() {
    Elf64_Ehdr header;
    if (!file.read(0, &header) || memcmp(header.e_ident, ELFMAG, SELFMAG) != 0) return false;
    if (header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_ident[EI_DATA] != ELFDATA2LSB) return false;
    if (header.e_type != ET_REL || header.e_machine != EM_X86_64) return false;
    if (header.e_shentsize != sizeof(Elf64_Shdr)) return false;
    return file.read_array(header.e_shoff, header.e_shnum * sizeof(Elf64_Shdr), &sections);
}

bool Image::read_symbols() {
    for (uint64_t i = 0; i < sections.size(); ++i) {
        const Elf64_Shdr &section = sections[i];
        if (section.sh_type != SHT_SYMTAB) continue;
        if (symbol_section != 0 || section.sh_link >= sections.size()) return false;
        symbol_section = i;
        names = sections[section.sh_link];
        if (!file.holds(names.sh_offset, names.sh_size) || names.sh_size == 0) return false;
        if (file.data[names.sh_offset + names.sh_size - 1] != '\0') return false;
        if (!file.read_array(section.sh_offset, section.sh_size, &symbols)) return false;
    }
    return symbol_section != 0;
}

bool Image::place(bool writable, uint64_t *end) {
    for (uint64_t i = 0; i < sections.size(); ++i) {
        const Elf64_Shdr &section = sections[i];
        if (!(section.sh_flags & SHF_ALLOC) || (section.sh_flags & SHF_TLS)) continue;
        if (((section.sh_flags & SHF_WRITE) != 0) != writable) continue;
        uint64_t align = section.sh_addralign ? section.sh_addralign : 1;
        if ((align & (align - 1)) != 0 || align > 4096 || section.sh_size > MAX_IMAGE) return false;
        offsets[i] = round_up(*end, align);
        *end = offsets[i] + section.sh_size;
        if (*end > MAX_IMAGE) return false;
    }
    return true;
}

bool Image::lay_out() {
    uint64_t page = static_cast<uint64_t>(sysconf(_SC_PAGESIZE)), end = 0;
    offsets.assign(sections.size(), NOT_LOADED);
    if (!place(false, &end)) return false;
    stubs = round_up(end, STUB_BYTES);
    end = pages.fixed = round_up(stubs + symbols.size() * STUB_BYTES + 1, page);
    if (end > MAX_IMAGE || !place(true, &end)) return false;
    pages.size = round_up(end, page);
    return true;
}

bool Image::copy_sections() {
    for (uint64_t i = 0; i < sections.size(); ++i) {
        const Elf64_Shdr &section = sections[i];
        if (offsets[i] == NOT_LOADED || section.sh_type == SHT_NOBITS || !section.sh_size) continue;
        if (!file.holds(section.sh_offset, section.sh_size)) return false;
        memcpy(pages.base + offsets[i], file.data + section.sh_offset, section.sh_size);
    }
    return true;
}

const char *Image::name_of(const Elf64_Sym &symbol) const {
    return symbol.st_name < names.sh_size ? file.data + names.sh_offset + symbol.st_name : "";
}

// The address of a symbol of another object; 0 without an exception where there is none.
uint64_t Image::find_known(const char *name) const {
    if (known == nullptr) return 0;
    Ref key(PyUnicode_FromString(name));
    PyObject *address = key ? PyDict_GetItemWithError(known, key.get()) : nullptr;
    bool is_int = address != nullptr && PyLong_CheckExact(address);
    uint64_t found = is_int ? PyLong_AsUnsignedLongLong(address) : 0;
    if (PyErr_Occurred()) return PyErr_Clear(), 0;
    return found;
}

bool Image::value_of(uint64_t index, uint64_t *value) {
    if (index >= symbols.size()) return false;
    const Elf64_Sym &symbol = symbols[index];
    int type = ELF64_ST_TYPE(symbol.st_info);
    if (type == STT_TLS || type == STT_GNU_IFUNC) return false;
    if (symbol.st_shndx == SHN_UNDEF) {
        const char *name = name_of(symbol);
        *value = find_known(name);
        if (*value == 0) *value = reinterpret_cast<uint64_t>(find_external(name));
        return *value != 0;
    }
    if (symbol.st_shndx >= sections.size() || offsets[symbol.st_shndx] == NOT_LOADED) return false;
    if (symbol.st_value > sections[symbol.st_shndx].sh_size) return false;
    *value = reinterpret_cast<uint64_t>(pages.base) + offsets[symbol.st_shndx] + symbol.st_value;
    return true;
}

// A jump to a symbol that may be further away than 2 GiB, with its address as a readable word.
uint64_t Image::stub_of(uint64_t symbol, uint64_t value) {
    static const unsigned char JUMP[STUB_ADDRESS] = {0xff, 0x25, 2, 0, 0, 0, 0x0f, 0x0b};
    char *stub = pages.base + stubs + symbol * STUB_BYTES;
    memcpy(stub, JUMP, STUB_ADDRESS);
    memcpy(stub + STUB_ADDRESS, &value, sizeof value);
    return reinterpret_cast<uint64_t>(stub);
}

bool fits_signed(int64_t value) { return value == static_cast<int32_t>(value); }

bool Image::relocate(uint64_t section, const Elf64_Rela &entry) {
    uint64_t symbol = ELF64_R_SYM(entry.r_info), type = ELF64_R_TYPE(entry.r_info), value;
    if (!value_of(symbol, &value)) return false;
    uint64_t width = type == R_X86_64_64 || type == R_X86_64_PC64 ? 8 : 4;
    uint64_t size = sections[section].sh_size;
    if (entry.r_offset > size || width > size - entry.r_offset) return false;
    char *place = pages.base + offsets[section] + entry.r_offset;
    bool external = symbols[symbol].st_shndx == SHN_UNDEF;
    uint64_t here = reinterpret_cast<uint64_t>(place), addend = static_cast<uint64_t>(entry.r_addend);
    uint64_t result;
    bool fits = true;
    switch (type) {
        case R_X86_64_64: result = value + addend; break;
        case R_X86_64_PC64: result = value + addend - here; break;
        case R_X86_64_PC32:
        case R_X86_64_PLT32:
            if (external) value = stub_of(symbol, value);
            result = value + addend - here;
            fits = fits_signed(static_cast<int64_t>(result));
            break;
        case R_X86_64_GOTPCREL:
        case R_X86_64_GOTPCRELX:
        case R_X86_64_REX_GOTPCRELX:
            result = stub_of(symbol, value) + STUB_ADDRESS + addend - here;
            fits = fits_signed(static_cast<int64_t>(result));
            break;
        case R_X86_64_32:
            result = value + addend;
            fits = result <= UINT32_MAX;
            break;
        case R_X86_64_32S:
            result = value + addend;
            fits = fits_signed(static_cast<int64_t>(result));
            break;
        default: return false;
    }
    if (fits) memcpy(place, &result, width);
    return fits;
}

bool Image::relocate_all() {
    for (const Elf64_Shdr &table : sections) {
        if (table.sh_type != SHT_RELA && table.sh_type != SHT_REL) continue;
        if (table.sh_info >= sections.size()) return false;
        if (offsets[table.sh_info] == NOT_LOADED) continue;
        std::vector<Elf64_Rela> entries;
        if (table.sh_type == SHT_REL || table.sh_link != symbol_section) return false;
        if (!file.read_array(table.sh_offset, table.sh_size, &entries)) return false;
        for (const Elf64_Rela &entry : entries) {
            if (!relocate(table.sh_info, entry)) return false;
        }
    }
    return true;
}

bool Image::export_to(PyObject *dict) const {
    for (const Elf64_Sym &symbol : symbols) {
        int binding = ELF64_ST_BIND(symbol.st_info);
        bool loaded = symbol.st_shndx < sections.size() && offsets[symbol.st_shndx] != NOT_LOADED;
        if (binding == STB_LOCAL || symbol.st_shndx == SHN_UNDEF || !loaded) continue;
        if (symbol.st_value >= sections[symbol.st_shndx].sh_size) continue;
        uint64_t start = reinterpret_cast<uint64_t>(pages.base) + offsets[symbol.st_shndx];
        Ref address(PyLong_FromUnsignedLongLong(start + symbol.st_value));
        if (!address || PyDict_SetItemString(dict, name_of(symbol), address.get()) < 0) return false;
    }
    return true;
}

// Maps the object and fills the dict: 1, or 0 when it cannot be loaded, or -1 with an exception.
int load_into(PyObject *dict, Pages *pages, const char *data, uint64_t size, PyObject *known) {
    Image image(File{data, size}, known);
    if (!image.load()) return 0;
    if (!image.export_to(dict)) {
        if (!PyErr_ExceptionMatches(PyExc_UnicodeDecodeError)) return -1;
        PyErr_Clear();
        return 0;
    }
    *pages = std::move(image.pages);
    return 1;
}

}  // namespace
#else
namespace {

struct Pages {};

int load_into(PyObject *, Pages *, const char *, uint64_t, PyObject *) { return 0; }

}  // namespace
#endif

namespace {

// A dict of addresses that keeps the code mapped.
struct LoadedObject {
    PyDictObject dict;
    Pages pages;
};

PyTypeObject loaded_type = {PyVarObject_HEAD_INIT(nullptr, 0)};

void loaded_dealloc(PyObject *object) {
    reinterpret_cast<LoadedObject *>(object)->pages.~Pages();
    PyDict_Type.tp_dealloc(object);
}

PyObject *load_object(PyObject *, PyObject *args) {
    PyObject *code, *known = nullptr;
    char *data;
    Py_ssize_t size;
    if (!PyArg_ParseTuple(args, "O|O!:load_object", &code, &PyDict_Type, &known)) return nullptr;
    if (PyBytes_AsStringAndSize(code, &data, &size) < 0) return nullptr;
    Ref loaded(PyObject_CallNoArgs(reinterpret_cast<PyObject *>(&loaded_type)));
    if (!loaded) return nullptr;
    Pages *pages = &reinterpret_cast<LoadedObject *>(loaded.get())->pages;
    try {
        int found = load_into(loaded.get(), pages, data, static_cast<uint64_t>(size), known);
        if (found == 0) Py_RETURN_NONE;
        return found > 0 ? loaded.release() : nullptr;
    } catch (const std::bad_alloc &) {
        return PyErr_NoMemory();
    }
}

int add_loaded_type(PyObject *module) {
    loaded_type.tp_name = "dynamo_lite.native._core.LoadedObject";
    loaded_type.tp_doc = "Addresses by name; the machine code is mapped for as long as this lives.";
    loaded_type.tp_basicsize = sizeof(LoadedObject);
    loaded_type.tp_base = &PyDict_Type;
    loaded_type.tp_flags = Py_TPFLAGS_DEFAULT;
    loaded_type.tp_dealloc = loaded_dealloc;
    return PyModule_AddType(module, &loaded_type);
}

PyMethodDef loader_functions[] = {
    {"load_object", load_object, METH_VARARGS,
     "load_object(bytes, known={}) -> dict of addresses by name, or None where it cannot be loaded; "
     "`known` are the addresses of what it takes from other objects"},
    {nullptr, nullptr, 0, nullptr},
};

}  // namespace

int add_loader(PyObject *module) {
    if (add_loaded_type(module) < 0) return -1;
    return PyModule_AddFunctions(module, loader_functions);
}
