import Testing

/// The level of vector instructions is one for the whole process, so tests that set it run one after another.
@Suite(.serialized) struct SerializedPixelTests {}
