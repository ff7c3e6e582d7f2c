import EaselCore

extension ImageOrder {
  /// Wishes about the files of one format.
  package struct Tuning: Hashable, Sendable {
    package var isProgressive: Bool?
    package var isLossless: Bool?
    package var chromaSubsampling: EncodeOptions.ChromaSubsampling?
    /// The effort or the speed, in the numbers of the format's encoder.
    package var effort: Int?
    package var palette: Palette?

    package init(
      isProgressive: Bool? = nil, isLossless: Bool? = nil, chromaSubsampling: EncodeOptions.ChromaSubsampling? = nil,
      effort: Int? = nil, palette: Palette? = nil
    ) {
      (self.isProgressive, self.isLossless) = (isProgressive, isLossless)
      (self.chromaSubsampling, self.effort, self.palette) = (chromaSubsampling, effort, palette)
    }

    /// The settings of encoders that state an effort or a speed; the modules of the coders declare them too.
    static let efforts: [ImageFormat: EncodeOptions.Setting<Int>] = [
      .jpeg: EncodeOptions.Setting(
        "jpeg-effort", text: { $0 == 1 ? "" : "\($0)" }, value: { $0.isEmpty ? 1 : Int($0) }),
      .webp: EncodeOptions.Setting("webp-method"), .avif: EncodeOptions.Setting("avif-speed"),
      .jxl: EncodeOptions.Setting("jxl-effort"),
    ]

    /// These wishes, and those of the server where there are none.
    func over(_ server: Tuning) -> Tuning {
      Tuning(
        isProgressive: isProgressive ?? server.isProgressive, isLossless: isLossless ?? server.isLossless,
        chromaSubsampling: chromaSubsampling ?? server.chromaSubsampling, effort: effort ?? server.effort,
        palette: palette ?? server.palette)
    }

    func apply(to options: inout EncodeOptions, for format: ImageFormat) {
      if let isProgressive { options.progressive = isProgressive }
      if let isLossless { options.lossless = isLossless }
      if let chromaSubsampling { options.chromaSubsampling = chromaSubsampling }
      if let effort, let setting = Self.efforts[format] { options.settings[setting] = effort }
      if let palette { options.settings["png-palette"] = palette.text }
    }
  }
}
