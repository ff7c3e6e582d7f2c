import EaselCore

extension EncodeOptions.Setting<Int> {
  /// The effort with which a JPEG is written: 1, 2 or 3.
  ///
  /// The more effort, the smaller the file that looks as good. At 1 libjpeg-turbo does everything, which is the
  /// fastest. At 2, the default, bits are spent where they are seen, and colour has its full resolution where the
  /// picture needs it. At 3 the file is written in several passes, too, with which most are smaller, and which takes longer
  /// again. A picture of more than 16 megapixels is written with effort 1, whatever is asked for.
  public static var jpegEffort: EncodeOptions.Setting<Int> {
    // The least has no text, because keys of the time when there was no other do not name it.
    EncodeOptions.Setting("jpeg-effort", text: { $0 == 1 ? "" : "\($0)" }, value: { $0.isEmpty ? 1 : Int($0) })
  }
}

extension EncodeOptions.Setting<Bool> {
  /// True to write a restart marker behind each row of blocks of a JPEG.
  ///
  /// From there readers find the rest of a damaged file, or begin to read in several places at once. The file is a
  /// little larger. The default is false.
  public static var jpegRestarts: EncodeOptions.Setting<Bool> { EncodeOptions.Setting("jpeg-restarts") }
}
