@_exported import EaselColor
@_exported import EaselCore
@_exported import EaselDisk
@_exported import EaselJPEG
@_exported import EaselMemory
@_exported import EaselPNG
@_exported import EaselPixels
@_exported import EaselTransformers
