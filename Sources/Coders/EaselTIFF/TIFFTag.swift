/// The numbers of the tags that Easel uses.
enum TIFFTag {
  static let subfileType = 254
  static let oldSubfileType = 255
  static let width = 256
  static let height = 257
  static let bitsPerSample = 258
  static let compression = 259
  static let photometric = 262
  static let description = 270
  static let make = 271
  static let model = 272
  static let stripOffsets = 273
  static let orientation = 274
  static let samplesPerPixel = 277
  static let rowsPerStrip = 278
  static let stripByteCounts = 279
  static let horizontalResolution = 282
  static let verticalResolution = 283
  static let planar = 284
  static let resolutionUnit = 296
  static let pageNumber = 297
  static let software = 305
  static let date = 306
  static let artist = 315
  static let predictor = 317
  static let tileOffsets = 324
  static let tileByteCounts = 325
  static let subDirectories = 330
  static let extraSamples = 338
  static let jpegOffset = 513
  static let jpegByteCount = 514
  static let jpegTables = [519, 520, 521]
  static let xmp = 700
  static let copyright = 33_432
  static let exif = 34_665
  static let profile = 34_675
  static let gps = 34_853
  static let interoperability = 40_965
  static let dngVersion = 50_706

  /// The tags that make up an EXIF block, besides the EXIF directories and the orientation.
  static let described: Set<Int> = [description, make, model, software, date, artist, copyright]

  /// The tags that affect the pixels or their colours.
  static let ofPixels: Set<Int> = [
    subfileType, oldSubfileType, width, height, bitsPerSample, compression, photometric, 263, 264, 265, 266,
    stripOffsets, samplesPerPixel, rowsPerStrip, stripByteCounts, 280, 281, planar, 288, 289, 290, 291, 292, 293,
    pageNumber, 301, 317, 318, 319, 320, 321, 322, 323, tileOffsets, tileByteCounts, 326, 327, 328, subDirectories,
    332, 334, 336, extraSamples, 339, 340, 341, 342, 347, 512, jpegOffset, jpegByteCount, 515, 517, 518, 519, 520, 521,
    529, 530, 531, 532, 32_996, profile, 34_675, 37_439, 50_674, 50_675,
  ]
}
