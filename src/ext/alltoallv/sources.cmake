# Irregular all-to-all.
set(alltoallv algorithms alltoallv bind blocks bruck choice direct exchange kept machine message native)
list(TRANSFORM alltoallv PREPEND alltoallv/)
list(APPEND sources ${alltoallv})
