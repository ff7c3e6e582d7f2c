import EaselCore

extension EncodeOptions.Setting<Int> {
  /// How much a written GIF may lose to become smaller, from 0 to 200.
  ///
  /// Runs of pixels that occurred before then also stand for pixels that are like them. At 20 the loss is hardly seen, at
  /// 200 it is obvious; the files are as large as those of gifsicle with the same number for `--lossy`. The default is 0.
  public static var gifLoss: EncodeOptions.Setting<Int> { EncodeOptions.Setting("gif-loss") }
}

/// The loss of a written GIF.
struct GIFLoss: Equatable {
  /// The amount from 1 to 200.
  let amount: Int

  /// The loss that the options ask for; nil for none.
  init?(_ options: EncodeOptions) {
    guard let amount = options.settings[.gifLoss], amount > 0 else { return nil }
    self.amount = min(200, amount)
  }

  /// The most that the square of an error may be in even parts, in the measure of the C code.
  var evenLimit: UInt32 { UInt32(amount) * 24 }
  /// The same for parts in which errors hide.
  var restlessLimit: UInt32 { UInt32(amount) * 115 }
}
