# Irregular all-to-all.
set(alltoallv alltoallv bind blocks bruck choice direct exchange kept message native)
list(TRANSFORM alltoallv PREPEND alltoallv/)
list(APPEND sources ${alltoallv})
