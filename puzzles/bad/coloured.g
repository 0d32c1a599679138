two colours
#d
   a:A   #ff0000   red
: rows
1a 2b
: columns
1a
1b
1b
:
