"""Which TCP, remedy or scheme helps over this channel or in this cell?"""
