package action

// Unpack is unpack.
var Unpack = unpack
