"""What `import gapless` offers, for type checkers; __init__.py loads it when it is used."""
from gapless.arrays import (
    from_array as from_array,
    from_dtype as from_dtype,
    layout_in_base as layout_in_base,
)
from gapless.basic_types import (
    aint as aint,
    bool as bool,
    byte as byte,
    char as char,
    double as double,
    double_complex as double_complex,
    double_int as double_int,
    float as float,
    float_complex as float_complex,
    float_int as float_int,
    int8 as int8,
    int16 as int16,
    int32 as int32,
    int64 as int64,
    long_double as long_double,
    long_double_complex as long_double_complex,
    long_double_int as long_double_int,
    long_int as long_int,
    packed as packed,
    short_int as short_int,
    two_int as two_int,
    uint8 as uint8,
    uint16 as uint16,
    uint32 as uint32,
    uint64 as uint64,
    wchar as wchar,
)
from gapless.build_mpi4py import (
    to_mpi4py as to_mpi4py,
)
from gapless.constructors import (
    bounded_vector as bounded_vector,
    bucket as bucket,
    circular_vector as circular_vector,
    contiguous as contiguous,
    darray as darray,
    dup as dup,
    hindexed as hindexed,
    hindexed_block as hindexed_block,
    hvector as hvector,
    indexed as indexed,
    indexed_block as indexed_block,
    named as named,
    parse as parse,
    resized as resized,
    struct as struct,
    subarray as subarray,
    vector as vector,
)
from gapless.datatype import (
    Datatype as Datatype,
    copy as copy,
)
from gapless.decode_mpi4py import (
    from_mpi4py as from_mpi4py,
)

__version__: str
