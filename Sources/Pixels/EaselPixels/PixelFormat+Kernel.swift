import CEaselPixels
import EaselCore

/// The names of formats in kernels; for most kernels, the order of red and blue does not matter.
extension PixelFormat {
  var kernel: easel_format { layout.kernel }

  var kernelAlpha: easel_alpha {
    switch alpha {
    case .opaque: EASEL_ALPHA_OPAQUE
    case .straight: EASEL_ALPHA_STRAIGHT
    case .premultiplied: EASEL_ALPHA_PREMULTIPLIED
    }
  }
}

extension PixelFormat.Layout {
  var kernel: easel_format {
    switch self {
    case .gray8: EASEL_FORMAT_GRAY8
    case .rgba8, .bgra8: EASEL_FORMAT_RGBA8
    case .rgba16: EASEL_FORMAT_RGBA16
    }
  }
}
