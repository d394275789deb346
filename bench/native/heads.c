/* A study, no part of the product: what reading the heads of put calls costs in C.

   heads(data, pmo_sizes) cuts bytes into whole segments and reads from each MQPUT its descriptor, the options of its
   PMO, and where its data lie; pmo_sizes: bytes by version. It checks what `protocol.framing` and `read_put_head` check
   of such calls, and raises ValueError where they would refuse. */

#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <stdint.h>
#include <string.h>

enum { SINGLE = 28, SHARED = 36, API = 16, MQPUT = 0x86, MD1 = 324, MD2 = 364, PMO_LONGEST = 4 };

static uint32_t word(const uint8_t *at, int little) {
    return little ? (uint32_t)at[3] << 24 | at[2] << 16 | at[1] << 8 | at[0]
                  : (uint32_t)at[0] << 24 | at[1] << 16 | at[2] << 8 | at[3];
}

static PyObject *refuse(const char *what) {
    PyErr_SetString(PyExc_ValueError, what);
    return NULL;
}

/* Descriptor, options, offset and length of the data of a put, whose body begins at `body`. */
static PyObject *put_head(const uint8_t *body, Py_ssize_t length, int little, const uint32_t *sizes) {
    Py_ssize_t at = API;
    if (length < at + 8 || memcmp(body + at, "MD  ", 4)) return refuse("no MD");
    uint32_t version = word(body + at + 4, little);
    Py_ssize_t md = version == 1 ? MD1 : version == 2 ? MD2 : 0;
    if (!md || length < at + md + 12) return refuse("MD");
    const uint8_t *descriptor = body + at;
    at += md;
    if (memcmp(body + at, "PMO ", 4)) return refuse("no PMO");
    version = word(body + at + 4, little);
    Py_ssize_t pmo = version < PMO_LONGEST ? sizes[version] : 0;
    if (!pmo || length < at + pmo + 4) return refuse("PMO");
    uint32_t options = word(body + at + 8, little);
    at += pmo;
    return Py_BuildValue("y#Inn", descriptor, md, options, at + 4, (Py_ssize_t)word(body + at, little));
}

static PyObject *heads(PyObject *self, PyObject *args) {
    Py_buffer data;
    uint32_t sizes[PMO_LONGEST] = {0};
    if (!PyArg_ParseTuple(args, "y*(III)", &data, &sizes[1], &sizes[2], &sizes[3])) return NULL;
    PyObject *found = PyList_New(0);
    const uint8_t *buffer = data.buf;
    for (Py_ssize_t at = 0; found && data.len - at >= SINGLE;) {
        const uint8_t *segment = buffer + at;
        int shared = segment[3] == 'M';
        Py_ssize_t size = shared ? SHARED : SINGLE, length = word(segment + 4, 0);
        if (memcmp(segment, "TSH", 3) || length < size || data.len - at < length) break;
        const uint8_t *rest = segment + (shared ? 16 : 8);
        int little = rest[0] == 2, type = rest[1];
        PyObject *head = Py_None;
        if (type == MQPUT && rest[2] & 0x10) {
            head = put_head(segment + size, length - size, little, sizes);
            if (!head) { Py_CLEAR(found); break; }
        } else
            Py_INCREF(head);
        PyObject *each = Py_BuildValue("iIIinnN", type, shared ? word(segment + 8, 0) : 0,
                                       shared ? word(segment + 12, 0) : 0, rest[2], at, length, head);
        if (!each || PyList_Append(found, each)) Py_CLEAR(found);
        Py_XDECREF(each);
        at += length;
    }
    PyBuffer_Release(&data);
    return found;
}

static PyMethodDef methods[] = {{"heads", heads, METH_VARARGS, "Segments and heads of puts."}, {NULL}};
static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, "heads", NULL, -1, methods};

PyMODINIT_FUNC PyInit_heads(void) { return PyModule_Create(&module); }
