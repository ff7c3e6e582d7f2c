@_exported import EaselBasic
@_exported import EaselColor
@_exported import EaselCore
@_exported import EaselDisplay
@_exported import EaselLocal
@_exported import EaselManager
@_exported import EaselMemory
@_exported import EaselObserving
@_exported import EaselPNG
@_exported import EaselPixels
@_exported import EaselSandbox
@_exported import EaselTiers
@_exported import EaselTransformers

#if AVIF
  @_exported import EaselAVIF
#endif

#if Curl
  @_exported import EaselCurl
#endif

#if Disk
  @_exported import EaselDisk
#endif

#if GIF
  @_exported import EaselGIF
#endif

#if HEIF
  @_exported import EaselHEIF
#endif

#if JPEG
  @_exported import EaselJPEG
#endif

#if JXL
  @_exported import EaselJXL
#endif

#if TIFF
  @_exported import EaselTIFF
#endif

#if WebP
  @_exported import EaselWebP
#endif
