"""What `import gapless` offers, for type checkers; __init__.py loads it when it is used."""

from gapless.arrays import (
    from_array as from_array,
)
from gapless.arrays import (
    from_dtype as from_dtype,
)
from gapless.arrays import (
    layout_in_base as layout_in_base,
)
from gapless.basic_types import (
    aint as aint,
)
from gapless.basic_types import (
    bool as bool,
)
from gapless.basic_types import (
    byte as byte,
)
from gapless.basic_types import (
    char as char,
)
from gapless.basic_types import (
    double as double,
)
from gapless.basic_types import (
    double_complex as double_complex,
)
from gapless.basic_types import (
    double_int as double_int,
)
from gapless.basic_types import (
    float as float,
)
from gapless.basic_types import (
    float_complex as float_complex,
)
from gapless.basic_types import (
    float_int as float_int,
)
from gapless.basic_types import (
    int8 as int8,
)
from gapless.basic_types import (
    int16 as int16,
)
from gapless.basic_types import (
    int32 as int32,
)
from gapless.basic_types import (
    int64 as int64,
)
from gapless.basic_types import (
    long_double as long_double,
)
from gapless.basic_types import (
    long_double_complex as long_double_complex,
)
from gapless.basic_types import (
    long_double_int as long_double_int,
)
from gapless.basic_types import (
    long_int as long_int,
)
from gapless.basic_types import (
    packed as packed,
)
from gapless.basic_types import (
    short_int as short_int,
)
from gapless.basic_types import (
    two_int as two_int,
)
from gapless.basic_types import (
    uint8 as uint8,
)
from gapless.basic_types import (
    uint16 as uint16,
)
from gapless.basic_types import (
    uint32 as uint32,
)
from gapless.basic_types import (
    uint64 as uint64,
)
from gapless.basic_types import (
    wchar as wchar,
)
from gapless.build_mpi4py import (
    to_mpi4py as to_mpi4py,
)
from gapless.constructors import (
    bounded_vector as bounded_vector,
)
from gapless.constructors import (
    bucket as bucket,
)
from gapless.constructors import (
    circular_vector as circular_vector,
)
from gapless.constructors import (
    contiguous as contiguous,
)
from gapless.constructors import (
    darray as darray,
)
from gapless.constructors import (
    dup as dup,
)
from gapless.constructors import (
    hindexed as hindexed,
)
from gapless.constructors import (
    hindexed_block as hindexed_block,
)
from gapless.constructors import (
    hvector as hvector,
)
from gapless.constructors import (
    indexed as indexed,
)
from gapless.constructors import (
    indexed_block as indexed_block,
)
from gapless.constructors import (
    named as named,
)
from gapless.constructors import (
    parse as parse,
)
from gapless.constructors import (
    resized as resized,
)
from gapless.constructors import (
    struct as struct,
)
from gapless.constructors import (
    subarray as subarray,
)
from gapless.constructors import (
    vector as vector,
)
from gapless.datatype import (
    Datatype as Datatype,
)
from gapless.datatype import (
    copy as copy,
)
from gapless.decode_mpi4py import (
    from_mpi4py as from_mpi4py,
)

__version__: str
